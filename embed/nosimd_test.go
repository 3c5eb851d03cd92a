//go:build !goexperiment.simd

package embed

// rounding is how far apart a value may be in a batch and alone.
const rounding = 0
