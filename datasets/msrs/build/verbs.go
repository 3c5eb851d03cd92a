package build

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lore/datasets/msrs/build/scripted"

	"lore/datasets"
	"lore/datasets/msrs"
	"lore/datasets/sources"
	"lore/local/files"
)

// Verbs are what can be done to make queries.
func Verbs() []datasets.Verb {
	return []datasets.Verb{{
		Kind:  datasets.Build,
		Args:  "--domain story|meeting --docs DIR --queries FILE",
		Short: "Make an MSRS dataset",
		Long: "build msrs makes a dataset in lore's own layout from a folder of texts and lines of\n" +
			"JSON with query and summary.\n\n" +
			"story: each text is split into chapters at --delimiter or at --headings, and each\n" +
			"query, which names its story, is rewritten by the model to stand alone. The model\n" +
			"checks the result; a refused one is tried again with the reason.\n\n" +
			"meeting: queries are compared by lexical or dense vectors and clustered; the queries\n" +
			"and summaries of a cluster are merged by the model, or joined where none is named.\n\n" +
			"build-log.jsonl in the new folder lists every part, cluster, try and drop. An\n" +
			"interrupted build resumes by the same command.",
		Example: "  lore build msrs --domain meeting --docs transcripts --queries queries.jsonl --out mine\n" +
			"  lore build msrs --domain story --docs books --headings --queries queries.jsonl" +
			" --model ollama:qwen3:8b --out mine",
		Needs:   datasets.NeedsOut | datasets.NeedsWriter | datasets.NeedsVectors,
		Prompts: Prompts(),
		StandIn: scripted.Careful,
		New:     newBuild,
	}}
}

// options are the flags of a build.
type options struct {
	domain, docs, queries, delimiter, embedder string
	headings                                   bool
	threshold                                  float64
	alone                                      string
	context                                    int
}

func newBuild(fl *flag.FlagSet) datasets.Job {
	var o options
	fl.StringVar(&o.domain, "domain", "", "story or meeting")
	fl.StringVar(&o.docs, "docs", "", "`folder`, or a file: "+sources.Endings)
	fl.StringVar(&o.queries, "queries", "",
		"`file` with lines of JSON: id, query, summary, documents, and for stories story")
	fl.StringVar(&o.delimiter, "delimiter", "", "story: regular `expression` of the lines that begin a chapter")
	fl.BoolVar(&o.headings, "headings", false,
		"story: chapters begin at Markdown headings, at \"Chapter 3\" on a line of its own, "+
			"and at titles such as \"Part 2: The storm\" or \"IV.\" between blank lines")
	fl.Float64Var(&o.threshold, "threshold", defaultThreshold,
		"meeting: minimum mean similarity in a cluster")
	fl.StringVar(&o.alone, "alone", Nearest, "meeting: what becomes of a query left alone: nearest (joins the nearest cluster "+
		"with room, however far), near (at the --threshold, or is dropped), keep (at the --threshold, or stays as it is)")
	fl.IntVar(&o.context, "context-tokens", contextTokens, "story: most tokens of it that are shown to the model that rewrites: "+
		"all of it, else its gold chapters, else how it begins")
	fl.StringVar(&o.embedder, "embedder", "", "meeting: dense:DIR or dense:ollama:NAME (default: lexical vectors)")

	return func(ctx context.Context, w datasets.Workshop, _ []string) (datasets.Outcome, error) {
		return o.run(ctx, w)
	}
}

// defaultThreshold is the least mean similarity in a cluster, if nobody says otherwise.
const defaultThreshold = 0.3

// ofOtherDomain is a flag of the domain that is not built, "" for none: it would have no effect.
func (o options) ofOtherDomain() (flag, domain string) {
	for _, f := range []struct {
		name, domain string
		given        bool
	}{
		{"--delimiter", "story", o.delimiter != ""},
		{"--headings", "story", o.headings},
		{"--context-tokens", "story", o.context != contextTokens},
		{"--threshold", "meeting", o.threshold != defaultThreshold},
		{"--alone", "meeting", o.alone != Nearest},
		{"--embedder", "meeting", o.embedder != ""},
	} {
		if f.given && f.domain != o.domain {
			return f.name, f.domain
		}
	}
	return "", ""
}

// check refuses flags that do not go together, and compiles the delimiter.
func (o options) check(model string) (Splitter, error) {
	flag, other := o.ofOtherDomain()
	switch {
	case !slices.Contains(msrs.Domains, o.domain):
		return nil, datasets.Usagef("--domain is story or meeting, not %q", o.domain)
	case o.docs == "" || o.queries == "":
		return nil, datasets.Usagef("build msrs needs --docs and --queries")
	case other != "":
		return nil, datasets.Usagef("%s is for --domain %s: it has no effect on a %s", flag, other, o.domain)
	case o.domain == "story" && model == "":
		return nil, datasets.Usagef("stories need --model: their queries are rewritten by one")
	case o.domain == "story" && (o.delimiter == "") == !o.headings:
		return nil, datasets.Usagef("stories need either --delimiter or --headings")
	case o.embedder != "" && !strings.HasPrefix(o.embedder, "dense:"):
		return nil, datasets.Usagef("--embedder is dense:DIR or dense:ollama:NAME, not %q", o.embedder)
	case !slices.Contains(fates, o.alone):
		return nil, datasets.Usagef("--alone is %s, not %q", strings.Join(fates, ", "), o.alone)
	case o.context < openingTokens:
		return nil, datasets.Usagef("--context-tokens is at least %d, which show how a story begins", openingTokens)
	case !(o.threshold >= -1 && o.threshold <= 1):
		return nil, datasets.Usagef("--threshold is from -1 to 1")
	}
	if o.headings || o.domain == "meeting" {
		return Headings, nil
	}

	at, err := regexp.Compile("(?m)^(?:" + o.delimiter + ")")
	if err != nil {
		return nil, datasets.Usagef("--delimiter is not a regular expression: %v", err)
	}
	return At(at), nil
}

func (o options) run(ctx context.Context, w datasets.Workshop) (datasets.Outcome, error) {
	var none datasets.Outcome
	at, err := o.check(w.Model())
	if err != nil {
		return none, err
	}
	if err := sources.Apart(o.docs, w.Out()); err != nil {
		return none, err
	}
	if err := w.Fresh(filepath.Join(w.Out(), msrs.OwnFile)); err != nil {
		return none, err
	}

	// Chapters begin at lines, and speakers of a meeting have lines of their own.
	read, err := sources.Read(ctx, o.docs, sources.Options{
		Lines:    true,
		Headings: o.headings,
		Out:      w.Out(),
		Named:    map[string]string{"--queries": o.queries},
		Referred: true,
	})
	if err != nil {
		return none, err
	}
	docs := read.Documents
	data, err := files.Read(o.queries, "give lines of JSON with query and summary")
	if err != nil {
		return none, err
	}
	queries, notes, err := ReadSources(o.queries, data)
	if err != nil {
		return none, err
	}

	if o.domain == "meeting" {
		err = nameDocuments(o.queries, queries, read)
	} else {
		nameStories(queries, read)
	}
	if err != nil {
		return none, err
	}

	b := &Builder{Context: o.context}
	if b.Session, err = w.Writer(ctx, 0, Prompts(), msrs.Benchmark{}.Prompts()); err != nil {
		return none, err
	}

	for _, note := range notes {
		b.Note("read", "", 0, "%s", note)
		w.Warn(note)
	}
	read.Log(b.Session, w)
	raw := msrs.Raw{Domain: o.domain, Documents: docs}
	made, err := o.make(ctx, w, b, &raw, at, queries)
	if err != nil {
		return datasets.Outcome{Log: b.Log()}, err
	}
	raw.Queries = map[string][]msrs.Query{"test": made}
	return b.outcome(w, raw, len(queries)), nil
}

// make rewrites the queries of stories, or merges those of meetings.
func (o options) make(
	ctx context.Context, w datasets.Workshop, b *Builder, raw *msrs.Raw, at Splitter, asked []Source,
) ([]msrs.Query, error) {
	if o.domain == "story" {
		stories, flag := len(raw.Documents), "--headings"
		if !o.headings {
			flag = "--delimiter"
		}
		raw.Documents = b.Split(raw.Documents, at)
		if warning := b.wholeWarning(flag, stories); warning != "" {
			w.Warn(warning)
		}
		return b.Story(ctx, raw.Documents, asked)
	}

	texts := make([]string, len(asked))
	for i, s := range asked {
		texts[i] = s.Query
	}
	similarity, err := w.Similarity(ctx, o.embedder, texts)
	if err != nil {
		return nil, err
	}
	return b.Meeting(ctx, asked, similarity, o.threshold, o.alone)
}

// nameDocuments turns the names that queries give their documents into ids: people write
// the names of their files. A document that is not there is an error, because a query would
// lose its gold.
func nameDocuments(file string, asked []Source, read *sources.Reading) error {
	for _, s := range asked {
		for i, name := range s.Documents {
			id, ok := read.IDOf(name)
			if !ok {
				return &datasets.InputError{
					File:   file,
					Place:  "query " + s.ID,
					Msg:    fmt.Sprintf("names the document %q, which is not there", name),
					Remedy: read.Meant(name),
				}
			}
			s.Documents[i] = id
		}
	}
	return nil
}

// nameStories does so for stories. One that is not there costs its query, and is named in the log.
func nameStories(asked []Source, read *sources.Reading) {
	for i, s := range asked {
		if id, ok := read.IDOf(s.Story); ok {
			asked[i].Story = id
		}
	}
}

// outcome is the dataset with what was dropped.
func (b *Builder) outcome(w datasets.Workshop, raw msrs.Raw, asked int) datasets.Outcome {
	built := len(raw.Queries["test"])
	out := datasets.Outcome{
		Log: b.Log(),
		Tables: []datasets.Grid{{
			Head: []string{"queries given", "queries built", "documents", "refused tries", "dropped"},
			Rows: [][]string{{
				fmt.Sprint(asked), fmt.Sprint(built), fmt.Sprint(len(raw.Documents)),
				fmt.Sprint(b.Refused()), fmt.Sprint(b.Dropped()),
			}},
		}},
	}
	if c := b.clusters; c != nil {
		out.Tables = append(out.Tables, datasets.Grid{
			Head: []string{"clusters", "split", "queries alone that joined one", "kept as they are", "dropped"},
			Rows: [][]string{{
				fmt.Sprint(len(c.Clusters) - c.Kept), fmt.Sprint(c.Splits), fmt.Sprint(c.Merged), fmt.Sprint(c.Kept),
				fmt.Sprint(len(c.Dropped)),
			}},
		})
	}
	if built == 0 {
		out.Missing = fmt.Sprintf("no query was built of %d", asked)
		return out
	}

	out.Write = func() error { return msrs.Write(w.Out(), raw, "built by lore") }
	out.Data, out.Folder = []string{w.Out()}, w.Out()
	out.Next = []string{"lore run msrs " + w.Out()}
	if b.Dropped() > 0 {
		out.Missing = fmt.Sprintf("%d queries or clusters were dropped", b.Dropped())
	}
	return out
}
