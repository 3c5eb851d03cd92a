package msrs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// Verbs are what can be done with data that is there.
func Verbs() []datasets.Verb {
	return []datasets.Verb{
		{
			Kind:  datasets.Import,
			Args:  "DIR|QUERIES.json | --corpus FILE --queries SPLIT=FILE...",
			Short: "Check published data and convert it to lore's layout",
			Long: "import msrs reads a published folder (documents/*.txt beside queries_test.json and the\n" +
				"other splits), one split of it by its file of queries, or the tables of the Hugging Face\n" +
				"layout as Parquet or JSON, checks ids, counts and gold documents, and writes\n" +
				"documents.jsonl, queries.jsonl and msrs.json with their hash. With --shown, the authors' files of\n" +
				"what systems were shown become rankings for lore run --retrieval, in the folder shown, and the\n" +
				"titles of stories in them are named to models that get no documents.",
			Example: "  lore data import msrs MSRS/story --out story\n" +
				"  lore data import msrs MSRS/story/queries_dev.json --out dev\n" +
				"  lore data import msrs MSRS/story --shown MSRS/retrieval --out story\n" +
				"  lore data import msrs --domain story --corpus corpus.parquet" +
				" --queries test=test.parquet --out story",
			Most: 1,
			New:  newImport,
		},

		{
			Kind:  datasets.Verify,
			Args:  "DIR",
			Short: "Check a folder against its counts and hash, and the published counts",
			Least: 1,
			Most:  1,
			New:   func(*flag.FlagSet) datasets.Job { return verify },
		},

		{
			Kind:  datasets.Analyse,
			Args:  "OUTPUT.json|DIR...",
			Short: "Score recorded answers against the references",
			Long: "score msrs scores recorded answers against the references: stemmed ROUGE with the best\n" +
				"reference by F1, lexical recall, and the relevance that judges find. Of a folder the files\n" +
				"MODEL_summary.json are scored. Where answers lie as they were released, in\n" +
				"outputs/DOMAIN/SETTING/summary, the queries are found beside outputs, models stand against\n" +
				"settings as in the paper's Tables 6 to 9, 13 and 14, and the authors' own figures stand beside.",
			Example: "  lore score msrs MSRS/outputs --bound high --out tables\n" +
				"  lore score msrs --domain story --queries queries_test.json gpt-4o_summary.json\n" +
				"  lore score msrs --queries MSRS/story MSRS/outputs/story/bm25",
			Least: 1,
			Most:  -1,
			Needs: datasets.NeedsOut | datasets.NeedsJudge,
			New:   newScore,
		},
	}
}

// importOptions are the flags of an import.
type importOptions struct {
	out, domain, corpus, shown string
	queries                    splitFiles
}

// splitFiles are tables of queries by split, as SPLIT=FILE.
type splitFiles map[string]string

func (s splitFiles) String() string { return "" }

// Set reads one of them.
func (s splitFiles) Set(text string) error {
	split, file, ok := strings.Cut(text, "=")
	if split == "validation" {
		split = "dev"
	}
	if !ok || file == "" || !slices.Contains(splits, split) {
		return errors.New("it is SPLIT=FILE with one of test, dev (or validation) and train")
	}
	s[split] = file
	return nil
}

func newImport(fl *flag.FlagSet) datasets.Job {
	o := importOptions{queries: splitFiles{}}
	fl.StringVar(&o.out, "out", "", "output `folder` (default: the domain's name)")
	fl.StringVar(&o.domain, "domain", "", "story or meeting (default: the folder's name)")
	fl.StringVar(&o.corpus, "corpus", "", "`table` of documents")
	fl.StringVar(&o.shown, "shown", "", "comma-separated `files` of the authors' that say what systems were shown, or their folder")
	fl.Var(o.queries, "queries", "table of queries as `SPLIT=FILE`; may be repeated")

	return func(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		return o.run(ctx, w, args)
	}
}

func (o importOptions) run(ctx context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	var none datasets.Outcome
	o.domain = strings.ToLower(o.domain)
	switch {
	case (len(args) == 1) == (o.corpus != ""):
		return none, datasets.Usagef("give either the published folder, or --corpus and --queries")
	case o.corpus != "" && len(o.queries) == 0:
		return none, datasets.Usagef("--corpus needs --queries SPLIT=FILE")
	case o.domain != "" && !slices.Contains(Domains, o.domain):
		return none, datasets.Usagef("--domain is story or meeting, not %q", o.domain)
	}

	raw, source, err := o.read(args)
	if err != nil {
		return none, err
	}
	if raw.Domain == "" {
		return none, datasets.Usagef("give --domain story or --domain meeting: the folder's name does not tell")
	}

	out := o.out
	if out == "" {
		out = raw.Domain
	}
	if err := w.Fresh(filepath.Join(out, OwnFile)); err != nil {
		return none, err
	}
	shown, err := readAllShown(datasets.List(o.shown, ","), raw, w)
	if err != nil {
		return none, err
	}
	next, err := writeAll(out, raw, source, shown)
	if err != nil {
		return none, err
	}
	done, err := verify(ctx, w, []string{out})
	done.Folder = out
	done.Next = append(done.Next, next...)
	done.Tables = append(done.Tables, datasets.Filled(shownGrid(shown))...)
	return done, err
}

// writeAll writes imported data, the rankings of what was shown first: the description of the data comes last. next
// are the commands that run them.
func writeAll(out string, raw Raw, source string, shown []Shown) (next []string, err error) {
	for _, s := range shown {
		path, err := writeShown(out, s)
		if err != nil {
			return nil, err
		}
		if path == "" {
			continue
		}
		command := fmt.Sprintf("lore run msrs %s --split %s --retrieval %s", files.Quoted(out), s.Split, files.Quoted(path))
		if s.Most > defaultK[raw.Domain] {
			command += fmt.Sprintf(" --k %d", s.Most)
		}
		next = append(next, command)
	}
	return next, Write(out, raw, source)
}

// read reads either layout.
func (o importOptions) read(args []string) (Raw, string, error) {
	if len(args) == 0 {
		raw, err := ReadHub(o.domain, o.corpus, o.queries)
		return raw, "Hugging Face tables", err
	}
	folder, split, err := locate(args[0], o.domain, "lore data import msrs")
	if err != nil {
		return Raw{}, "", err
	}
	if files.Exists(filepath.Join(folder, OwnFile)) {
		return Raw{}, "", datasets.AlreadyOwn(Benchmark{}.Name(), folder)
	}

	var wanted []string // all that are there, unless a file of queries was given
	if split != "" {
		wanted = []string{split}
	}
	raw, err := ReadPublished(files.DirFS(folder), folder, wanted...)
	if err != nil {
		return raw, "", err
	}
	if raw.Domain != "" || o.domain != "" {
		raw.Domain, err = chosenDomain(folder, raw.Domain, o.domain)
	}
	return raw, "published folder", err
}

// verify loads every split and counts what is there. Counts that differ from the
// published ones are said.
func verify(_ context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
	dir, _, err := locate(args[0], "", "lore data verify msrs")
	if err != nil {
		return datasets.Outcome{}, err
	}
	own := files.Exists(filepath.Join(dir, OwnFile))
	b := Benchmark{}
	if !own && domainOf(dir) == "" {
		b.Domain = Domains[0] // it only chooses how many documents are shown, which nothing here asks
		w.Warn(dir + " does not say which domain it is: its counts are not compared with the published ones")
	}

	var last *datasets.Dataset
	var counted statistics
	g := datasets.Grid{Head: []string{"split", "queries", "documents", "gold documents, mean", "references, mean"}}
	for _, split := range []string{"train", "dev", "test"} {
		if !own && !files.Exists(filepath.Join(dir, queriesOf(split))) {
			continue
		}
		b.Split = split
		ds, err := b.Load([]string{dir})
		if errors.Is(err, ErrNoSplit) {
			continue
		}
		if err != nil {
			return datasets.Outcome{}, err
		}
		warnings := ds.Warnings
		if b.Domain == "" {
			warnings = append(warnings, CheckCounts(ds, split)...)
		}
		for _, warning := range warnings {
			w.Warn(warning)
		}

		if last == nil {
			counted.documentsOf(ds.Items[0].Corpus())
		}
		last = ds
		counted.add(ds.Items)
		gold, references := 0, 0
		for _, it := range ds.Items {
			gold += len(it.Query().Gold)
			references += len(it.(*item).References())
		}
		n := float64(len(ds.Items))
		g.Rows = append(g.Rows, []string{
			split, fmt.Sprint(len(ds.Items)), fmt.Sprint(ds.Documents()),
			fmt.Sprintf("%.2f", float64(gold)/n), fmt.Sprintf("%.2f", float64(references)/n),
		})
	}
	out := datasets.Outcome{Loaded: last, Tables: []datasets.Grid{g}, Next: []string{"lore run msrs " + files.Quoted(dir)}}
	if last != nil && b.Domain == "" {
		out.Tables = append(out.Tables, counted.grid(last.Items[0].Group()))
	}
	return out, nil
}
