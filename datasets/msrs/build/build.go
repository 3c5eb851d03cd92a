// Package build makes MSRS datasets (section 3): queries about a part of a story are
// rewritten to stand alone, and queries of meetings are clustered and merged, so that
// their answer has to be put together from several documents.
package build

import (
	"embed"
	"io/fs"

	"lore/datasets/stage"
	"lore/local/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts of the build.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Builder makes a dataset from documents and queries with a model. Meetings can do
// without: their session then has no Calls.
type Builder struct {
	*stage.Session
	Context int // most tokens of a story that are shown to the model that rewrites

	whole    []string    // stories in which no chapter begins
	clusters *Clustering // of meetings, once they are clustered
}

// queryReply is a query as a model words it.
type queryReply struct {
	Query   string `json:"query"`
	Summary string `json:"summary"` // of merged queries
}
