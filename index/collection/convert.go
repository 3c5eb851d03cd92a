package collection

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lore/local/files"
)

// Form is how a file or folder is written.
type Form string

// The forms.
const (
	BEIR     Form = "beir"     // a folder: corpus.jsonl, queries.jsonl, qrels/test.tsv
	JSONL    Form = "jsonl"    // lines of JSON: id, title, text
	JSON     Form = "json"     // a list of such objects; {topic: {document: value}} of judgements and runs
	Pyserini Form = "pyserini" // lines of JSON: id, contents
	MSMARCO  Form = "msmarco"  // cells parted by tabs, without a heading; of a run topic, document and rank
	TSV      Form = "tsv"      // cells parted by tabs, with a heading
	CSV      Form = "csv"
	Parquet  Form = "parquet"
	TREC     Form = "trec"
)

// Forms are all of them.
var Forms = []Form{BEIR, JSONL, JSON, Pyserini, MSMARCO, TSV, CSV, Parquet, TREC}

// FormsOf are the forms that a kind can be written in.
func FormsOf(kind Kind) []Form {
	switch kind {
	case CorpusKind:
		return []Form{BEIR, JSONL, JSON, Pyserini, MSMARCO, TSV, CSV, Parquet}
	case QueriesKind:
		return []Form{BEIR, JSONL, JSON, MSMARCO, TSV, CSV, Parquet, TREC}
	case JudgementsKind:
		return []Form{BEIR, JSON, MSMARCO, TSV, CSV, Parquet, TREC}
	}
	return []Form{JSON, MSMARCO, TSV, CSV, Parquet, TREC}
}

// Conversion is what is to be written anew, and how.
type Conversion struct {
	In, Out string
	Kind    Kind // empty: as KindOf tells
	Form    Form // empty: as the ending of Out tells
	Flatten bool // white space that the form cannot hold becomes a space, and is counted
	Force   bool // write over a file that is there
}

// Converted is what was written.
type Converted struct {
	Kind  Kind
	Form  Form
	Path  string   // of the file; for a BEIR folder the one in it
	Rows  int      // documents, queries, judgements or results
	Notes []string // what the form does not hold, with counts
}

// Convert reads a corpus, queries, judgements or a run in whatever form, and writes it in another: aside first, and under
// its name when it is whole. What the form cannot hold is an error with its place, or counted in the notes. The error is a
// ChoiceError where nothing was tried.
func Convert(ctx context.Context, c Conversion) (Converted, error) {
	var err error
	if c.Kind == "" {
		if c.Kind, err = KindOf(c.In); err != nil {
			return Converted{}, err
		}
	}
	if c.Form == "" {
		c.Form, err = formByName(c.Out, c.Kind)
	}
	if err == nil {
		err = c.checkForm()
	}
	if err != nil {
		return Converted{}, err
	}
	out := Converted{Kind: c.Kind, Form: c.Form, Path: c.path()}
	if err := c.checkPlace(out.Path); err != nil {
		return out, err
	}

	left := &losses{fields: map[string]int{}}
	w := writing{Conversion: c, losses: left, rows: &out.Rows, stop: ctx}
	work := w.writeRows
	if c.Kind == JudgementsKind || c.Kind == RunKind {
		if work, err = w.pairs(); err != nil {
			return out, err
		}
	}
	if c.Form == BEIR {
		if err := files.MkdirAll(filepath.Dir(out.Path)); err != nil {
			return out, fmt.Errorf("make the folder of %s: %w", out.Path, err)
		}
	}
	err = files.Write(out.Path, func(to io.Writer) error { return packed(to, out.Path, c.guard(), work) })
	out.Notes = left.notes(c)
	return out, err
}

// path is the file to write.
func (c Conversion) path() string {
	switch {
	case c.Form != BEIR:
		return c.Out
	case c.Kind == CorpusKind:
		return filepath.Join(c.Out, beirCorpus)
	case c.Kind == QueriesKind:
		return filepath.Join(c.Out, beirAsked)
	}
	return filepath.Join(c.Out, beirQrels, "test.tsv")
}

// formByName goes by the ending of a name; a folder, or a name without one, is one of BEIR.
func formByName(out string, kind Kind) (Form, error) {
	pairs := kind == JudgementsKind || kind == RunKind
	info, err := os.Stat(out)
	folder := err == nil && info.IsDir() || strings.HasSuffix(out, string(filepath.Separator))
	switch ending := kindOf(out); {
	case out == "-":
		return "", choicef("nothing is written to standard output: give the name of a file")
	case folder, ending == "" && kind != RunKind:
		return BEIR, nil
	case ending == ".jsonl":
		return JSONL, nil
	case ending == ".json":
		return JSON, nil
	case ending == ".tsv" && pairs:
		return TSV, nil
	case ending == ".tsv":
		return MSMARCO, nil
	case ending == ".csv":
		return CSV, nil
	case ending == ".parquet":
		return Parquet, nil
	case slices.Contains([]string{".trec", ".txt", ".run", ".qrels", ".topics"}, ending):
		return TREC, nil
	}
	return "", choicef("the ending of %s tells no form: give --to, one of %s", out, listed(FormsOf(kind)))
}

func listed(forms []Form) string {
	var out []string
	for _, f := range forms {
		out = append(out, string(f))
	}
	return strings.Join(out, ", ")
}

// checkForm refuses forms that the kind does not have, and endings by which the file would be read as another.
func (c Conversion) checkForm() error {
	if !slices.Contains(Kinds, c.Kind) {
		return choicef("there is no kind %q", c.Kind)
	}
	if !slices.Contains(FormsOf(c.Kind), c.Form) {
		return choicef("a file of the kind %q is not written as %s; give one of %s by the ending or by --to", c.Kind, c.Form,
			listed(FormsOf(c.Kind)))
	}
	for ending, form := range map[string]Form{".csv": CSV, ".parquet": Parquet} {
		if is := kindOf(c.Out) == ending; is != (c.Form == form) && c.Form != BEIR {
			return choicef("%s and the form %s do not go together: files of %s end in %s, and no others do", c.Out, c.Form, form, ending)
		}
	}
	return nil
}

// checkPlace refuses to write over what is read, and over what is there.
func (c Conversion) checkPlace(path string) error {
	read, err := c.inputs()
	if err != nil {
		return err
	}
	for _, in := range read {
		if files.Same(in, path) {
			return choicef("%s is what is read: write to another file", path)
		}
	}
	if folder, err := files.IsFolder(c.In, corpusForm); err == nil && folder && len(beirParts(c.In)) == 0 && below(c.In, path) {
		return choicef("%s is in the folder that is read, and would be read with it: write to another folder", path)
	}

	there := path
	if c.Form == BEIR {
		if packed, ok := inFolder(filepath.Dir(path), filepath.Base(path)); ok {
			there = packed
		}
	}
	switch info, err := os.Stat(there); {
	case err != nil && !os.IsNotExist(err):
		return choicef("%s cannot be written: %s", there, files.Cause(err))
	case err == nil && !info.Mode().IsRegular():
		return choicef("%s is there, and not a file", there)
	case err == nil && !c.Force:
		return choicef("%s is there, and nothing was written; --force writes over it", there)
	}
	return nil
}

// inputs are the files that are read.
func (c Conversion) inputs() ([]string, error) {
	if c.Kind == CorpusKind {
		source, err := Open(c.In)
		return append(source.Files, c.In), err
	}
	out := []string{c.In}
	if path, ok := inFolder(c.In, beirAsked); ok && c.Kind == QueriesKind {
		out = append(out, path)
	}
	if path, ok := beirSplit(c.In); ok && c.Kind == JudgementsKind {
		out = append(out, path)
	}
	return out, nil
}

// below reports whether a file is in a folder or deeper.
func below(dir, path string) bool {
	at, err := filepath.Abs(path)
	for at = filepath.Dir(at); err == nil; at = filepath.Dir(at) {
		if files.Same(dir, at) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
	return false
}

// writing is a conversion under way.
type writing struct {
	Conversion
	*losses
	rows *int
	stop context.Context
}

// count is told of every row before it is written, and ends the work where nobody waits for it any more.
func (w writing) count() error {
	if err := w.stop.Err(); err != nil {
		return err
	}
	*w.rows++
	return nil
}

// losses count what a form does not hold.
type losses struct {
	fields     map[string]int // records with a field that no form holds, by its name
	joined     int            // titles put before their texts
	flattened  int            // texts whose white space was changed
	iterations int            // judgements of an iteration other than 0
	tag        string         // of a run
	renamed    int            // lines of a run whose name is another than that of the line before
	ranked     int            // scores that became ranks
}

// field counts the fields of a record that are neither empty nor what was read of it. Of a record with no more fields than
// must have been read nothing is left out.
func (l *losses) field(rec files.Record, must int, read ...string) {
	names := rec.Names()
	if len(names) <= must {
		return
	}
	for _, name := range names {
		raw, _ := rec.Raw(name)
		switch string(raw) {
		case "{}", "[]", "null", `""`:
			continue
		}
		if text, err := rec.Field(name); err == nil && (strings.TrimSpace(text) == "" || slices.Contains(read, text)) {
			continue
		}
		l.fields[name]++
	}
}

func (l *losses) notes(c Conversion) (out []string) {
	say := func(n int, format string, args ...any) {
		if n > 0 {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(l.fields)) {
		fields = append(fields, fmt.Sprintf("%s %d", name, l.fields[name]))
	}
	say(len(fields), "fields that are left out, with the rows that have them: %s", strings.Join(fields, ", "))
	say(l.joined, "titles that stand before their texts now, since %s has one text a document: %d", c.Form, l.joined)
	say(l.flattened, "texts in which white space that %s cannot hold became a space or a line end: %d", c.Form, l.flattened)
	say(l.iterations, "judgements whose iteration is left out, since %s has none: %d", c.Form, l.iterations)
	say(len(l.tag), "the name of the run is left out, since %s has none: %s", c.Form, l.tag)
	say(l.renamed, "the lines of the run have several names, of which the last one is taken")
	say(l.ranked, "scores that are ranks now, equal ones in the order of trec_eval: %d", l.ranked)
	return out
}

// unheld is a row that the form cannot hold. It has its place from the file that is read.
type unheld struct{ msg string }

func (e *unheld) Error() string { return e.msg }

func (w writing) unheld(format string, args ...any) error {
	return &unheld{fmt.Sprintf(format, args...)}
}

func baseOf(path string) string { return filepath.Base(filepath.Clean(path)) }
