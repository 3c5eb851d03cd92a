//go:build !ort

package embed

import "errors"

func openONNXRuntime(Engine, *folder) (runtime, error) {
	return nil, errors.New("this build of lore has no onnxruntime; build one with: make build-ort")
}

func openORTDecoder(*folder) (decoder, error) {
	return nil, errors.New("this build of lore has no onnxruntime; build one with: make build-ort")
}
