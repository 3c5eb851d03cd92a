package summhay

import (
	_ "embed"
)

//go:generate go run ./internal/samplegen -out sample/skellan_bay.json

//go:embed sample/skellan_bay.json
var sample []byte

// SampleName stands for the bundled haystack where a file name is expected.
const SampleName = "sample:skellan_bay.json"

// Sample returns the bundled haystack in the published format: 48 documents, 6
// subtopics with 5 insights each. It was written for lore; the town is invented.
func Sample() []byte { return sample }
