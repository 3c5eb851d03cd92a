package long2rag

import _ "embed"

// sample holds a question of each category with five documents, written for lore.
//
//go:embed sample/questions.jsonl
var sample []byte

// SampleName stands for the bundled data where a file is expected.
const SampleName = "sample:long2rag"
