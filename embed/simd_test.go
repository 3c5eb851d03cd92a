//go:build goexperiment.simd

package embed

// rounding is how far apart a value may be in a batch and alone: the SIMD build sums in an
// order that follows the shape of the batch.
const rounding = 1e-5
