package collection

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lore/index"
	"lore/local/files"
)

// vectorsForm is what sparse vectors are read from, for errors.
const vectorsForm = `give lines of JSON as Anserini has them, {"id": …, "vector": {"term": weight, …}}, or lines of id, tab and ` +
	"terms, which weigh as often as they are there"

// exactInteger is the greatest integer up to which float32 holds all.
const exactInteger = 1 << 24

// Vectors are sparse vectors by id, as a file or folder has them, eight bytes a weight.
type Vectors struct {
	Path  string
	IDs   []string // in the order of the files
	Empty int      // vectors without a weight above zero: such documents are never found

	at      map[string]int
	terms   []string
	number  map[string]uint32
	of      []uint32
	weights []float32
	ends    []int
}

// ReadVectors reads sparse vectors from a file, or from all files of a folder (.jsonl, .json, .tsv), packed or not. Weights
// are kept as they are, as float32, quantised ones, too: an integer that float32 cannot hold is refused. Weights of zero
// are left out.
func ReadVectors(path string) (*Vectors, error) {
	parts, err := vectorFiles(path)
	if err != nil {
		return nil, err
	}
	v := &Vectors{Path: path, at: map[string]int{}, number: map[string]uint32{}}
	seen := places{}
	for _, part := range parts {
		err := eachPackedLine(part, func(place string, line []byte) error {
			id, vector, err := parseVector(line)
			if err == nil {
				err = seen.add(id, part, place, len(parts) > 1)
			}
			if err != nil {
				return &files.Error{File: part, Place: place, Msg: err.Error(), Remedy: vectorsForm, Err: err}
			}
			v.add(id, vector)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(v.IDs) == 0 {
		return nil, &files.Error{File: path, Msg: "holds no vectors", Remedy: vectorsForm}
	}
	return v, nil
}

// HashVectors identifies the contents of a file or folder of vectors.
func HashVectors(path string) (string, error) {
	parts, err := vectorFiles(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, part := range parts {
		f, err := files.Open(part)
		if err != nil {
			return "", files.Unreadable(part, err, vectorsForm)
		}
		n, err := io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", files.Unreadable(part, err, vectorsForm)
		}
		fmt.Fprintf(h, "\n%d\n", n)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// vectorFiles are the file, or those of a folder, in the order of their names.
func vectorFiles(path string) ([]string, error) {
	folder, err := files.IsFolder(path, vectorsForm)
	if err != nil || !folder {
		return []string{path}, err
	}
	names, err := files.List(path)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, name := range names {
		if slices.Contains([]string{".jsonl", ".json", ".tsv"}, kindOf(name)) {
			parts = append(parts, filepath.Join(path, filepath.FromSlash(name)))
		}
	}
	if len(parts) == 0 {
		return nil, &files.Error{File: path, Msg: "holds neither a model nor files of vectors (.jsonl, .json, .tsv)",
			Remedy: "give the folder of an ONNX model with its tokenizer.json; of vectors, " + vectorsForm}
	}
	return parts, nil
}

func eachPackedLine(path string, do func(place string, line []byte) error) error {
	f, err := files.Open(path)
	if err != nil {
		return files.Unreadable(path, err, vectorsForm)
	}
	defer f.Close()
	r, err := files.Unpack(f)
	if err == nil {
		err = eachLine(r, do)
	}
	var ours *files.Error
	if errors.As(err, &ours) {
		if ours.File == "" {
			ours.File = path
		}
		return ours
	}
	if err != nil {
		return &files.Error{File: path, Msg: err.Error(), Remedy: vectorsForm, Err: err}
	}
	return nil
}

// parseVector reads a line of JSON, or of terms.
func parseVector(line []byte) (id string, vector []index.TermWeight, err error) {
	line = bytes.TrimSpace(line)
	if line[0] != '{' {
		return parseTerms(string(line))
	}
	var rec files.Record
	if err := json.Unmarshal(line, &rec); err != nil {
		return "", nil, fmt.Errorf("is not an object of JSON on one line: %w", err)
	}
	if id, err = rec.DocumentID(); err == nil {
		err = files.CheckID(id)
	}
	if err != nil {
		return "", nil, err
	}
	raw, ok := rec.Raw("vector")
	if !ok {
		return "", nil, errors.New(`there is no "vector"`)
	}
	vector, err = parseWeights(raw)
	return id, vector, err
}

// parseTerms reads "id", tab, "term term …": a term weighs as often as it is there.
func parseTerms(line string) (string, []index.TermWeight, error) {
	id, text, ok := strings.Cut(line, "\t")
	if !ok {
		return "", nil, errors.New("there is no tab behind the id")
	}
	if err := files.CheckID(id); err != nil {
		return "", nil, err
	}
	return id, CountTerms(text), nil
}

// CountTerms gives each term of a text, separated by white space, the number of times that it is there as its weight.
func CountTerms(text string) []index.TermWeight {
	var out []index.TermWeight
	at := map[string]int{}
	for _, term := range strings.Fields(text) {
		i, ok := at[term]
		if !ok {
			i = len(out)
			at[term] = i
			out = append(out, index.TermWeight{Term: term})
		}
		out[i].Weight++
	}
	return out
}

// parseWeights reads {"term": weight, …}, which is JSON that was checked: this is many times as fast as package json.
func parseWeights(raw []byte) ([]index.TermWeight, error) {
	if raw[0] != '{' {
		what := "neither an object nor a list"
		if raw[0] == '[' {
			what = "a list: a vector of learned sparse retrieval has terms and weights, a dense one is not read"
		}
		return nil, fmt.Errorf(`"vector" is %s`, what)
	}
	var out []index.TermWeight
	seen := map[string]bool{}
	for rest := raw[1:]; ; {
		rest = bytes.TrimLeft(rest, " \t\r\n,")
		if rest[0] == '}' {
			return out, nil
		}
		end := endOfString(rest)
		var term string
		if err := json.Unmarshal(rest[:end], &term); err != nil {
			return nil, err
		}
		rest = bytes.TrimLeft(rest[end:], " \t\r\n:")
		end = bytes.IndexAny(rest, ",} \t\r\n")
		weight, err := parseWeight(term, string(rest[:end]))
		if err != nil {
			return nil, err
		}
		if seen[term] {
			return nil, fmt.Errorf("the term %q is there twice", term)
		}
		seen[term] = true
		out = append(out, index.TermWeight{Term: term, Weight: weight})
		rest = rest[end:]
	}
}

// endOfString is the length of a string of JSON with its quotation marks.
func endOfString(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

func parseWeight(term, number string) (float32, error) {
	w, err := strconv.ParseFloat(number, 32)
	switch {
	case err != nil:
		return 0, fmt.Errorf("the weight of %q is %s, not a number that can be kept", term, clip(number))
	case w < 0:
		return 0, fmt.Errorf("the weight of %q is negative (%s); weights of terms are zero or more", term, number)
	case w >= exactInteger && !strings.ContainsAny(number, ".eE") && strconv.FormatFloat(w, 'f', -1, 64) != number:
		return 0, fmt.Errorf("the weight of %q is %s, an integer above %d that float32 cannot hold", term, number, exactInteger)
	}
	return float32(w), nil
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

func (v *Vectors) add(id string, vector []index.TermWeight) {
	v.at[id] = len(v.IDs)
	v.IDs = append(v.IDs, id)
	before := len(v.of)
	for _, t := range vector {
		if t.Weight == 0 {
			continue
		}
		n, ok := v.number[t.Term]
		if !ok {
			n = uint32(len(v.terms))
			v.number[t.Term], v.terms = n, append(v.terms, t.Term)
		}
		v.of, v.weights = append(v.of, n), append(v.weights, t.Weight)
	}
	if len(v.of) == before {
		v.Empty++
	}
	v.ends = append(v.ends, len(v.of))
}

// Of is the vector of an id.
func (v *Vectors) Of(id string) (vector []index.TermWeight, ok bool) {
	i, ok := v.at[id]
	if !ok {
		return nil, false
	}
	start := 0
	if i > 0 {
		start = v.ends[i-1]
	}
	for k := start; k < v.ends[i]; k++ {
		vector = append(vector, index.TermWeight{Term: v.terms[v.of[k]], Weight: v.weights[k]})
	}
	return vector, true
}

// WriteVector writes a line as Anserini reads it. The weights are the shortest decimals that are read back as they were;
// terms are in byte order.
func WriteVector(w io.Writer, id, contents string, vector []index.TermWeight) error {
	sorted := slices.Clone(vector)
	slices.SortFunc(sorted, func(a, b index.TermWeight) int { return strings.Compare(a.Term, b.Term) })
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	text := func(before, s string) error {
		b.WriteString(before)
		err := enc.Encode(s)
		b.Truncate(b.Len() - 1) // the encoder ends a line
		return err
	}

	err := errors.Join(text(`{"id": `, id), text(`, "contents": `, contents))
	b.WriteString(`, "vector": {`)
	for i, t := range sorted {
		before := ", "
		if i == 0 {
			before = ""
		}
		err = errors.Join(err, text(before, t.Term))
		b.WriteString(": ")
		b.WriteString(strconv.FormatFloat(float64(t.Weight), 'f', -1, 32))
	}
	b.WriteString("}}\n")
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}
