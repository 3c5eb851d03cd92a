package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/local/files"
)

// QueryTokens names queries whose terms are their own tokens, each with the weight 1.
const QueryTokens = "tokens"

// sparseSides is what a sparse model consists of.
type sparseSides struct {
	documents  string // folder of the documents' model
	queries    string // folder, file of token weights, or QueryTokens; "" is the documents' model
	table      bool   // queries is a file of token weights
	plain      bool   // special tokens are no terms
	pooling    string // poolMax or poolSum
	activation string
	stated     bool // a file says how to pool
	notes      []string
}

// sparseOverride is what lore.json may say of a sparse model, under the key "sparse".
type sparseOverride struct {
	Activation   string `json:"activation"`    // relu or log1p_relu
	Pooling      string `json:"pooling"`       // max or sum
	SpecialTerms *bool  `json:"special_terms"` // whether special tokens may be terms of documents
	Queries      string `json:"queries"`       // tokens, or a folder or file of token weights in the folder
}

// Names of what a folder may hold for each side: lore's own, and those of Sentence Transformers' Router.
var (
	documentFolders = []string{"document_encoder", "document_0_MLMTransformer", "document_0_Transformer"}
	queryFolders    = []string{"query_encoder", "query_0_MLMTransformer", "query_0_Transformer",
		"query_0_SparseStaticEmbedding", "query_0_IDF"}
	weightFiles    = []string{"idf.json", "query_token_weights.txt", "model.safetensors"}
	poolingFolders = []string{"1_SpladePooling", "document_1_SpladePooling"}
)

// Models whose cards say what their files do not. splade-v3-doc: queries are their tokens (its card, and SpladeDoc of
// naver/splade). The third version of OpenSearch's document encoders has another activation (its card).
var (
	tokensByName     = regexp.MustCompile(`(?i)splade-v3-doc`)
	activationByName = regexp.MustCompile(`(?i)neural-sparse-encoding-doc-v3`)
)

// SparseFolder tells whether a path is the folder of a sparse model, and not of vectors.
func SparseFolder(path string) bool {
	for _, name := range append([]string{""}, documentFolders...) {
		if files.Exists(filepath.Join(path, name, "tokenizer.json")) {
			return true
		}
	}
	found, err := (&folder{dir: path}).modelFiles()
	return err == nil && len(found) > 0
}

// sparseParts finds the sides in a folder: a document_encoder and a query_encoder, or a Router of Sentence Transformers,
// or one model for both; idf.json beside the model (OpenSearch's) gives queries the weights of their tokens. query comes
// before what the folder says.
//
// Special tokens ([CLS], [SEP], …) are seen by the model, and pooled over, everywhere. As terms they are kept, as SPLADE's own
// code and Sentence Transformers' have it, but for models with a file of token weights, as OpenSearch's cards have it.
func sparseParts(dir, query string) (sparseSides, error) {
	s := sparseSides{documents: dir, pooling: poolMax, activation: LogReLU}
	over, err := readSparseOverride(dir)
	if err != nil {
		return s, err
	}
	for _, name := range documentFolders {
		if at := filepath.Join(dir, name); files.Exists(filepath.Join(at, "tokenizer.json")) {
			s.documents = at
			break
		}
	}
	if err := s.readPooling(dir); err != nil {
		return s, err
	}
	if err := s.findQueries(dir, query, over); err != nil {
		return s, err
	}

	s.stated = s.stated || over.Activation != "" || over.Pooling != ""
	if over.Activation != "" {
		s.activation = over.Activation
	}
	if over.Pooling != "" {
		s.pooling = over.Pooling
	}
	s.plain = s.table
	if over.SpecialTerms != nil {
		s.plain = !*over.SpecialTerms
	}
	return s, nil
}

func readSparseOverride(dir string) (sparseOverride, error) {
	var file struct {
		Sparse *json.RawMessage `json:"sparse"`
	}
	var over sparseOverride
	f := &folder{dir: dir}
	if ok, err := f.read(OverrideFile, &file); err != nil || !ok || file.Sparse == nil {
		return over, err
	}

	bad := func(msg, remedy string) (sparseOverride, error) {
		return over, &ModelError{Dir: dir, Msg: "has a " + OverrideFile + ` whose "sparse" ` + msg, Remedy: remedy}
	}
	dec := json.NewDecoder(strings.NewReader(string(*file.Sparse)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&over); err != nil {
		return bad("cannot be read: "+err.Error(), "it has activation, pooling, special_terms and queries")
	}
	switch {
	case !slices.Contains([]string{"", LogReLU, LogLogReLU}, over.Activation):
		return bad(fmt.Sprintf("asks for the activation %q, which lore does not compute", over.Activation),
			"there are: "+LogReLU+", "+LogLogReLU)
	case !slices.Contains([]string{"", poolMax, poolSum}, over.Pooling):
		return bad(fmt.Sprintf("asks for the pooling %q, which lore does not compute", over.Pooling),
			"there are: "+poolMax+", "+poolSum)
	}
	return over, nil
}

// readPooling reads what Sentence Transformers keep of SpladePooling.
func (s *sparseSides) readPooling(dir string) error {
	f := &folder{dir: dir}
	for _, name := range poolingFolders {
		var config struct {
			Pooling    string `json:"pooling_strategy"`
			Activation string `json:"activation_function"`
		}
		file := filepath.Join(name, "config.json")
		ok, err := f.read(file, &config)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if !slices.Contains([]string{"", poolMax, poolSum}, config.Pooling) ||
			!slices.Contains([]string{"", LogReLU, LogLogReLU}, config.Activation) {
			return &ModelError{
				Dir: dir,
				Msg: fmt.Sprintf("asks in %s for the pooling %q of %q, which lore does not compute",
					file, config.Pooling, config.Activation),
				Remedy: "max and sum of relu and log1p_relu are known",
			}
		}
		s.stated = true
		if config.Pooling != "" {
			s.pooling = config.Pooling
		}
		if config.Activation != "" {
			s.activation = config.Activation
		}
		return nil
	}

	if activationByName.MatchString(filepath.Base(filepath.Clean(dir))) {
		s.activation = LogLogReLU
		s.notes = append(s.notes, "the activation log(1+log(1+ReLU)) is that of the model's card, known by its name")
	}
	return nil
}

// findQueries chooses the side of queries.
func (s *sparseSides) findQueries(dir, query string, over sparseOverride) error {
	if query == "" && over.Queries != "" {
		query = over.Queries
		if query != QueryTokens {
			query = filepath.Join(dir, query)
		}
	}
	if query != "" {
		return s.takeQueries(query)
	}

	for _, name := range queryFolders {
		if at := filepath.Join(dir, name); files.Exists(at) {
			return s.takeQueries(at)
		}
	}
	for _, name := range weightFiles[:2] {
		if at := filepath.Join(dir, name); files.Exists(at) {
			s.queries, s.table = at, true
			return nil
		}
	}
	if tokensByName.MatchString(filepath.Base(filepath.Clean(dir))) {
		s.queries = QueryTokens
		s.notes = append(s.notes, "queries are their tokens with the weight 1, as the model's card has it, known by its name")
	}
	return nil
}

// takeQueries takes a side that was named: a folder of a model, or of a file of weights, or such a file.
func (s *sparseSides) takeQueries(query string) error {
	s.queries = query
	if query == QueryTokens {
		return nil
	}
	info, err := os.Stat(query)
	if err != nil {
		return &ModelError{Dir: query, Msg: "is neither a folder nor a file", Err: err, Remedy: "query= takes the folder of an " +
			"encoder, a file of token weights such as idf.json, or " + QueryTokens}
	}
	if !info.IsDir() {
		s.table = true
		return nil
	}
	if found, err := (&folder{dir: query}).modelFiles(); err != nil || len(found) > 0 {
		return err
	}
	for _, name := range weightFiles {
		if at := filepath.Join(query, name); files.Exists(at) {
			s.queries, s.table = at, true
			return nil
		}
	}
	return &ModelError{Dir: query, Msg: "has neither an .onnx file nor weights of tokens",
		Remedy: "export the query encoder to ONNX, or put idf.json there: {\"token\": weight}"}
}

// vocabulary is what the numbers of tokens stand for.
type vocabulary struct {
	terms   []string // "" where a number stands for nothing
	special map[int]bool
	least   int // values that a masked language model gives at least: the vocabulary without added tokens
}

func (v *vocabulary) set(id int, term string) {
	if id < 0 || id > 1<<24 {
		return
	}
	for len(v.terms) <= id {
		v.terms = append(v.terms, "")
	}
	v.terms[id] = term
}

// readVocabulary reads tokenizer.json's tokens.
func readVocabulary(f *folder) (vocabulary, error) {
	v := vocabulary{special: map[int]bool{}}
	var file struct {
		Added []struct {
			ID      int    `json:"id"`
			Content string `json:"content"`
			Special bool   `json:"special"`
		} `json:"added_tokens"`
		Model struct {
			Vocab json.RawMessage `json:"vocab"`
		} `json:"model"`
	}
	err := json.Unmarshal(f.tokenizer, &file)
	var byTerm map[string]int
	var listed [][]any
	if err == nil && json.Unmarshal(file.Model.Vocab, &byTerm) != nil {
		err = json.Unmarshal(file.Model.Vocab, &listed)
	}
	if err != nil {
		return v, &ModelError{Dir: f.dir, Msg: "has a tokenizer.json whose vocabulary cannot be read: " + err.Error(),
			Remedy: "copy it again", Err: err}
	}

	for term, id := range byTerm {
		v.set(id, term)
	}
	for id, entry := range listed { // of a unigram model: term and score
		if term, ok := append(entry, nil)[0].(string); ok {
			v.set(id, term)
		}
	}
	v.least = len(v.terms)
	for _, a := range file.Added {
		v.set(a.ID, a.Content)
		v.special[a.ID] = v.special[a.ID] || a.Special
	}
	return v, nil
}

// readTokenWeights reads idf.json, {"token": weight}, or lines of token, tab and weight, or the one tensor of a file of
// safetensors. hash is that of the file.
func readTokenWeights(path string, vocab vocabulary) (weights []float32, notes []string, hash string, err error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, nil, "", files.Unreadable(path, err, "give a file of token weights such as idf.json")
	}
	sum := sha256.Sum256(data)
	hash = hex.EncodeToString(sum[:])
	weights = make([]float32, len(vocab.terms))
	if strings.HasSuffix(path, ".safetensors") {
		return weights, nil, hash, files.Wrap(path, readTensor(data, weights))
	}

	given, err := parseTokenWeights(data)
	if err != nil {
		return nil, nil, "", files.Wrap(path, err)
	}
	number := make(map[string]int, len(vocab.terms))
	for id, term := range vocab.terms {
		number[term] = id
	}
	unknown := 0
	for token, w := range given {
		id, ok := number[token]
		if !ok || token == "" {
			unknown++
			continue
		}
		weights[id] = w
	}
	switch {
	case unknown == len(given):
		return nil, nil, "", &files.Error{File: path, Msg: "weighs no token of the model's vocabulary",
			Remedy: "give the file that belongs to the model"}
	case unknown > 0:
		notes = []string{fmt.Sprintf("%d of %d tokens with a weight are not in the model's vocabulary", unknown, len(given))}
	}
	return weights, notes, hash, nil
}

// parseTokenWeights reads either form of text.
func parseTokenWeights(data []byte) (map[string]float32, error) {
	text, err := files.Text("", data)
	if err != nil {
		return nil, err
	}
	out := map[string]float32{}
	if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		if out, err = files.Object[float32](text); err != nil {
			return nil, &files.Error{Msg: "is not an object of token and weight: " + files.JSONWords(err),
				Remedy: `write {"token": weight, …}`, Err: err}
		}
	} else if err := weightLines(text, out); err != nil {
		return nil, err
	}
	for token, w := range out {
		if w < 0 || math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
			return nil, &files.Error{Msg: fmt.Sprintf("gives %q the weight %g", token, w), Remedy: "weights are zero or more"}
		}
	}
	if len(out) == 0 {
		return nil, &files.Error{Msg: "has no weights", Remedy: `write {"token": weight, …}`}
	}
	return out, nil
}

func weightLines(text []byte, out map[string]float32) error {
	return files.EachLine(text, func(place string, line []byte) error {
		token, number, ok := strings.Cut(strings.TrimRight(string(line), "\r"), "\t")
		w, err := strconv.ParseFloat(strings.TrimSpace(number), 32)
		if _, twice := out[token]; !ok || err != nil || twice {
			return &files.Error{Place: place, Msg: "is not a new token, a tab and its weight",
				Remedy: `write one token a line, or JSON: {"token": weight, …}`, Err: err}
		}
		out[token] = float32(w)
		return nil
	})
}

// readTensor reads the only tensor of a file of safetensors: eight bytes with the length of a header of JSON, the header,
// the values. It must be of float32 and have a value for every token.
func readTensor(data []byte, weights []float32) error {
	bad := func(msg string) error {
		return &files.Error{Msg: msg, Remedy: `put idf.json in its place: {"token": weight, …}`}
	}
	if len(data) < 8 {
		return bad("is not a file of safetensors")
	}
	size := binary.LittleEndian.Uint64(data)
	if size > uint64(len(data)-8) {
		return bad("is not a file of safetensors")
	}
	head, values := data[8:8+size], data[8+size:]

	var tensors map[string]json.RawMessage
	if err := json.Unmarshal(head, &tensors); err != nil {
		return bad("is not a file of safetensors")
	}
	delete(tensors, "__metadata__")
	var one struct {
		Type    string   `json:"dtype"`
		Offsets []uint64 `json:"data_offsets"`
	}
	for _, raw := range tensors {
		if json.Unmarshal(raw, &one) != nil || len(one.Offsets) != 2 {
			return bad("is not a file of safetensors")
		}
	}
	start, end := uint64(0), uint64(0)
	if len(one.Offsets) == 2 {
		start, end = one.Offsets[0], one.Offsets[1]
	}
	if len(tensors) != 1 || one.Type != "F32" || end > uint64(len(values)) || start > end || (end-start)/4 < uint64(len(weights)) {
		return bad(fmt.Sprintf("does not hold one tensor of float32 with the %d values of the vocabulary", len(weights)))
	}
	for i := range weights {
		w := math.Float32frombits(binary.LittleEndian.Uint32(values[start+4*uint64(i):]))
		if !(w >= 0) || math.IsInf(float64(w), 0) {
			return bad(fmt.Sprintf("gives token %d the weight %g", i, w))
		}
		weights[i] = w
	}
	return nil
}

// errSparseCache marks a cache of sparse vectors that cannot be used.
var errSparseCache = errors.New("it is not a cache of sparse vectors")
