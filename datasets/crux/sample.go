package crux

import "embed"

// sampleFiles are two topics over twelve passages, written for lore.
//
//go:embed sample
var sampleFiles embed.FS

// SampleName stands for the bundled data where a folder is expected.
const SampleName = "sample:crux"
