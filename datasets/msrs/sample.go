package msrs

import (
	"embed"
	"io/fs"

	"lore/datasets"
)

// sampleFiles are two invented stories in twelve chapters with four queries,
// written for lore.
//
//go:embed sample
var sampleFiles embed.FS

// SampleName stands for the bundled data where a folder is expected.
const SampleName = "sample:story"

func (b Benchmark) loadSample() (*datasets.Dataset, error) {
	dir, err := fs.Sub(sampleFiles, "sample/story")
	if err != nil {
		panic(err) // the folder is compiled in
	}

	if b.Domain == "" {
		b.Domain = "story"
	}

	return b.load(dir, SampleName)
}
