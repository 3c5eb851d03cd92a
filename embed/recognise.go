package embed

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// recognise finds the family of an encoder by the name of its folder, by the name in its
// config.json, or by the architecture there.
func (f *folder) recognise() error {
	var config modelConfig
	if _, err := f.read("config.json", &config); err != nil {
		return err
	}

	var ok bool
	if f.family, ok = lookUp(folderName(f.dir)); ok {
		f.known = "the folder's name"
		return nil
	}
	if f.family, ok = lookUp(config.Made); ok {
		f.known = "the name in its config.json, " + config.Made
		return nil
	}
	if slices.Contains(config.Architectures, "Contriever") {
		f.family, _ = lookUp("contriever")
		f.known = "the architecture in its config.json"
	}
	return nil
}

// folderName is what a folder is called after. In Hugging Face's cache that is three levels
// up: models--OWNER--NAME/snapshots/REVISION.
func folderName(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	if above := filepath.Dir(dir); filepath.Base(above) == "snapshots" {
		return filepath.Base(filepath.Dir(above))
	}
	return filepath.Base(dir)
}

// unsaid sets what no modules.json says: by the model's family, or as most models have it.
func (f *folder) unsaid() {
	s := &f.settings
	known := f.family
	if f.over.Pooling != "" && f.over.Normalize != nil {
		return // both are in OverrideFile
	}
	switch {
	case known.graph != "":
		s.Pooling, s.Normalize = poolMean, true
		f.output = known.graph
		f.note(fmt.Sprintf("the folder has no modules.json: the vector is the output %s, as %s models have more than "+
			"an encoder, by %s", known.graph, known.name, f.known))

	case known.pooling != "":
		s.Pooling, s.Normalize = known.pooling, !known.dot
		vectors := "normalised vectors"
		if known.dot {
			vectors = "vectors as they are, and their dot products"
		}
		f.note(fmt.Sprintf("the folder has no modules.json: %s pooling and %s are those of %s models, by %s (card of %s)",
			s.Pooling, vectors, known.name, f.known, known.card))

	default:
		s.Pooling, s.Normalize = poolMean, true
		f.note("the folder has no modules.json: mean pooling and normalised vectors are assumed")
	}
}

// promptsFile names a model's prompts, its prefixes among them.
const promptsFile = "config_sentence_transformers.json"

// The names of prompts for queries and for passages, the usual ones first.
var (
	queryPrompts   = []string{"query", "search_query", "retrieval.query", "Retrieval-query", "s2p_query", "web_search_query"}
	passagePrompts = []string{
		"document", "passage", "corpus", "search_document", "retrieval.passage", "Retrieval-document", "retrieval.document",
	}
)

// prompts takes the prefixes out of the prompts that the model's own files have, or else
// those of its family. Empty prompts say nothing: they are written for every model.
func (f *folder) prompts(named map[string]string) {
	first := func(names []string) string {
		for _, n := range names {
			if named[n] != "" {
				return named[n]
			}
		}
		return ""
	}

	s := &f.settings
	s.QueryPrefix, s.PassagePrefix = first(queryPrompts), first(passagePrompts)
	from := noPrefixes
	switch {
	case s.QueryPrefix != "" || s.PassagePrefix != "":
		from = "prefixes by " + promptsFile
	case f.known != "":
		s.QueryPrefix, s.PassagePrefix = f.family.query, f.family.passage
		from = f.family.prefixes(f.known)
	case len(named) > 0:
		from = "no prefixes by " + promptsFile + otherPrompts(named)
	}
	f.from = origin{from, from}
}

// otherPrompts lists prompts that are neither for queries nor for passages.
func otherPrompts(named map[string]string) string {
	var others []string
	for n, text := range named {
		if text != "" {
			others = append(others, n)
		}
	}
	if len(others) == 0 {
		return ""
	}
	slices.Sort(others)
	return fmt.Sprintf(", whose prompts are for other tasks (%s)", strings.Join(others, ", "))
}
