module lore

go 1.26

require (
	github.com/dlclark/regexp2/v2 v2.5.1 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/tiktoken-go/tokenizer v0.10.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
