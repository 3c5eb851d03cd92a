package embed

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lore/local/files"
	"lore/local/text"
)

// ModelError is a model that cannot be used.
type ModelError struct {
	Dir    string // or the name of a served model
	Msg    string
	Remedy string
	Err    error
}

func (e *ModelError) Error() string {
	s := "the model " + e.Dir + " " + e.Msg
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

func (e *ModelError) Unwrap() error { return e.Err }

// OverrideFile is a file in a model's folder whose fields come before what the
// model's other files say.
const OverrideFile = "lore.json"

type override struct {
	File          string  `json:"file"` // the .onnx file
	Output        string  `json:"output"`
	Pooling       string  `json:"pooling"`
	Normalize     *bool   `json:"normalize"`
	MaxTokens     int     `json:"max_tokens"`
	QueryPrefix   *string `json:"query_prefix"`
	PassagePrefix *string `json:"passage_prefix"`

	Labels   []string  `json:"labels"`          // of a model of entailment: what its outputs mean, in order
	Reading  string    `json:"reading"`         // how they are read: softmax, sigmoid or regression
	Scale    []float64 `json:"scale"`           // of a regression: its least and its greatest value
	Relevant []string  `json:"relevant_tokens"` // of an encoder with a decoder: what it writes for relevant, and for not

	Joined string `json:"joined_by"` // what joins premise and hypothesis to one text

	Sparse json.RawMessage `json:"sparse"` // of a sparse model: sparseOverride
}

// folder is a model's folder as read: Hugging Face's layout with the files of
// Sentence Transformers beside it.
type folder struct {
	dir       string
	file      string // the .onnx file, relative to dir
	output    string // "" is chosen by name
	tokenizer []byte
	pooled    bool // an encoder, not a classifier
	alone     bool // texts must not share a batch
	settings  Settings
	over      override

	dense  []*projection // Dense modules after the pooling
	family family        // what is known by the model's name; empty for others
	known  string        // how it is known
	from   origin        // of the prefixes
}

// readFolder reads all that is said about a model. pooled says whether it is an
// encoder, whose token vectors lore pools.
func readFolder(dir string, pooled bool) (*folder, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, &ModelError{
			Dir:    dir,
			Msg:    "is no folder",
			Remedy: "give the folder of an ONNX model: model.onnx, tokenizer.json and config.json",
			Err:    err,
		}
	}

	f := &folder{dir: dir, pooled: pooled, settings: Settings{Name: dir}}
	over, err := f.readOverride()
	if err != nil {
		return nil, err
	}
	f.over = over
	if err := f.findModel(over.File); err != nil {
		return nil, err
	}

	if f.tokenizer, err = files.ReadFile(filepath.Join(dir, "tokenizer.json")); err != nil {
		return nil, &ModelError{dir, "has no tokenizer.json", "export the model with its fast tokeniser", err}
	}
	sum := sha256.Sum256(f.tokenizer)
	f.settings.Tokenizer = hex.EncodeToString(sum[:])

	if err := f.limits(); err != nil {
		return nil, err
	}
	if pooled {
		if err := f.recognise(); err != nil {
			return nil, err
		}
		if err := f.pooling(); err != nil {
			return nil, err
		}
		if err := f.prefixes(); err != nil {
			return nil, err
		}
	}

	f.apply(over)
	if f.settings.MaxTokens < 8 {
		return nil, &ModelError{
			Dir:    dir,
			Msg:    "does not say how many tokens it takes",
			Remedy: "put its config.json beside it, or write max_tokens into its " + OverrideFile,
		}
	}
	return f, nil
}

// overrideKeys are the fields of OverrideFile, and those that an encoder alone has, or a
// model of entailment.
var (
	encoderKeys  = []string{"pooling", "normalize", "query_prefix", "passage_prefix"}
	classKeys    = []string{"labels", "reading", "scale", "joined_by", "relevant_tokens"}
	overrideKeys = slices.Concat([]string{"file", "output", "max_tokens", "sparse"}, encoderKeys, classKeys)
	poolings     = []string{poolMean, poolCLS, poolLast, poolMax}
)

// readOverride reads the file that people write. What it says and lore does not know is
// refused: a misspelt field would be ignored.
func (f *folder) readOverride() (override, error) {
	var over override
	var fields map[string]json.RawMessage
	data, err := files.ReadFile(filepath.Join(f.dir, OverrideFile))
	if errors.Is(err, fs.ErrNotExist) {
		return over, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	bad := func(msg, remedy string) (override, error) {
		return over, &ModelError{f.dir, "has a " + OverrideFile + " that " + msg, remedy, err}
	}
	if err != nil {
		return bad("cannot be read: "+err.Error(), "write one JSON object")
	}

	for _, name := range slices.Sorted(maps.Keys(fields)) {
		known := "there are: " + strings.Join(overrideKeys, ", ")
		switch {
		case !slices.Contains(overrideKeys, name):
			if near := text.Nearest(name, overrideKeys); near != "" {
				known = "did you mean " + near + "? " + known
			}
			return bad(fmt.Sprintf("has the unknown field %q", name), known)
		case !f.pooled && slices.Contains(encoderKeys, name):
			return bad("has the field "+name+", which a cross-encoder does not use", "take it out")
		case f.pooled && slices.Contains(classKeys, name):
			return bad("has the field "+name+", which an encoder does not use", "take it out")
		}
	}

	if err = json.Unmarshal(data, &over); err != nil {
		return bad("cannot be read: "+err.Error(), "correct the field")
	}
	switch {
	case fields["pooling"] != nil && !slices.Contains(poolings, over.Pooling):
		return bad(fmt.Sprintf("asks for the pooling %q, which lore does not compute", over.Pooling),
			"there are: "+strings.Join(poolings, ", "))
	case fields["max_tokens"] != nil && over.MaxTokens < 8:
		return bad(fmt.Sprintf("has %d as max_tokens", over.MaxTokens), "it is at least 8")
	}
	if n := len(over.Relevant); fields["relevant_tokens"] != nil && n != 2 {
		return bad(fmt.Sprintf("has %d relevant_tokens", n), `there are two: ["▁true", "▁false"]`)
	}
	if msg, remedy := over.checkClasses(); msg != "" {
		return bad(msg, remedy)
	}
	return over, nil
}

// read decodes a JSON file of the folder; a missing file is not an error.
func (f *folder) read(name string, into any) (bool, error) {
	data, err := files.ReadFile(filepath.Join(f.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}

	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return false, &ModelError{
			Dir:    f.dir,
			Msg:    "has a file " + name + " that cannot be read: " + err.Error(),
			Remedy: "copy the folder again",
			Err:    err,
		}
	}
	return true, nil
}

// findModel chooses the model file and hashes it.
func (f *folder) findModel(named string) error {
	found, err := f.modelFiles()
	if err != nil {
		return err
	}
	if config, err := readConfig(f.dir); err != nil {
		return err
	} else if !f.pooled && config.seq2seq() {
		return f.findPair(found)
	}
	if f.file, err = f.choose(found, named); err != nil {
		return err
	}
	return f.hashFile()
}

// hashFile hashes the model file, and looks what is in it.
func (f *folder) hashFile() error {
	data, err := files.ReadFile(filepath.Join(f.dir, f.file))
	if err != nil {
		return &ModelError{
			Dir:    f.dir,
			Msg:    "has a file " + f.file + " that cannot be read: " + err.Error(),
			Remedy: "check its permissions",
			Err:    err,
		}
	}
	if len(data) == 0 {
		return &ModelError{
			Dir:    f.dir,
			Msg:    "has an empty file " + f.file,
			Remedy: "copy it again; files of Git LFS must be fetched",
		}
	}
	if f.settings.Model, err = hashModel(f.dir, f.file, data); err != nil {
		return err
	}

	if bytes.Contains(data, []byte("DynamicQuantizeLinear")) {
		// The scale of a dynamically quantised product comes from all texts of a batch,
		// padding included: a vector would depend on its neighbours.
		f.alone = true
		f.note("the model is quantised dynamically: texts are computed one by one, " +
			"so that vectors do not depend on their batch")
	}
	return nil
}

// modelFiles lists the .onnx files of the folder, relative to it.
func (f *folder) modelFiles() ([]string, error) {
	var found []string
	for _, pattern := range []string{"*.onnx", "onnx/*.onnx"} {
		names, err := filepath.Glob(filepath.Join(escapeGlob(f.dir), pattern))
		if err != nil {
			return nil, fmt.Errorf("look for the model file: %w", err)
		}
		for _, n := range names {
			rel, err := filepath.Rel(f.dir, n)
			if err != nil {
				return nil, fmt.Errorf("look for the model file: %w", err)
			}
			found = append(found, filepath.ToSlash(rel))
		}
	}
	return found, nil
}

// choose takes the file that is named, or the usual one, or the only one.
func (f *folder) choose(found []string, named string) (string, error) {
	if named != "" && !slices.Contains(found, named) {
		return "", &ModelError{
			Dir:    f.dir,
			Msg:    "has no file " + named,
			Remedy: "correct file in its " + OverrideFile,
		}
	}

	switch {
	case named != "":
		return named, nil
	case slices.Contains(found, "model.onnx"):
		return "model.onnx", nil
	case slices.Contains(found, "onnx/model.onnx"):
		return "onnx/model.onnx", nil
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return "", &ModelError{
			Dir:    f.dir,
			Msg:    "has no .onnx file",
			Remedy: "export it, for example with Optimum, and copy the whole folder",
		}
	}

	return "", &ModelError{
		Dir:    f.dir,
		Msg:    "has several model files: " + strings.Join(found, ", "),
		Remedy: "name one as file in its " + OverrideFile,
	}
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

// hashModel hashes a model file with the files of weights that lie beside it.
func hashModel(dir, file string, data []byte) (string, error) {
	h := sha256.New()
	h.Write(data)

	weights, err := filepath.Glob(filepath.Join(escapeGlob(filepath.Join(dir, filepath.Dir(file))), "*data*"))
	if err != nil {
		return "", fmt.Errorf("look for the model's weights: %w", err)
	}

	for _, path := range weights { // in order of name
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			continue // a folder of data sets, say
		}
		w, err := files.Open(path)
		if err != nil {
			return "", fmt.Errorf("read the model's weights: %w", err)
		}
		_, err = io.Copy(h, w)
		if err = errors.Join(err, w.Close()); err != nil {
			return "", fmt.Errorf("read the model's weights: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// modelConfig is what lore reads of a model's config.json.
type modelConfig struct {
	ModelType string `json:"model_type"`
	Positions int    `json:"max_position_embeddings"`
	Trained   int    `json:"n_positions"` // of a T5, which has relative ones
	Decodes   bool   `json:"is_encoder_decoder"`
	Start     int    `json:"decoder_start_token_id"`
	Pad       *int   `json:"pad_token_id"`

	Made          string   `json:"_name_or_path"` // the model that it was made from, often itself
	Architectures []string `json:"architectures"`
}

// room is how many tokens have a position.
func (c modelConfig) room() int {
	if !isRoBERTa(c.ModelType) || c.Positions <= 0 {
		return c.Positions
	}

	// These number positions from the padding token's id plus one on.
	pad := 1
	if c.Pad != nil {
		pad = *c.Pad
	}
	return c.Positions - (pad + 1)
}

// limits finds the longest input: the least of what the files say.
func (f *folder) limits() error {
	var config modelConfig
	var sentence struct {
		Max *int `json:"max_seq_length"`
	}
	var tokenizer struct {
		Max float64 `json:"model_max_length"`
	}
	var cut struct {
		Truncation *struct {
			Max int `json:"max_length"`
		} `json:"truncation"`
	}

	files := map[string]any{
		"config.json":               &config,
		"sentence_bert_config.json": &sentence,
		"tokenizer_config.json":     &tokenizer,
	}
	for name, into := range files {
		if _, err := f.read(name, into); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(f.tokenizer, &cut); err != nil {
		return &ModelError{
			Dir:    f.dir,
			Msg:    "has a tokenizer.json that cannot be read: " + err.Error(),
			Remedy: "copy it again",
			Err:    err,
		}
	}

	limit := func(n int) {
		if n > 0 && (f.settings.MaxTokens == 0 || n < f.settings.MaxTokens) {
			f.settings.MaxTokens = n
		}
	}
	limit(config.room())
	limit(config.Trained)
	if sentence.Max != nil {
		limit(*sentence.Max)
	}
	if tokenizer.Max < 1e6 { // "no limit" is written as a huge number
		limit(int(tokenizer.Max))
	}
	if cut.Truncation != nil {
		limit(cut.Truncation.Max)
	}
	return nil
}

func isRoBERTa(modelType string) bool {
	switch modelType {
	case "roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "data2vec-text":
		return true
	}
	return false
}

// pooling reads the modules of Sentence Transformers.
func (f *folder) pooling() error {
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}

	ok, err := f.read("modules.json", &modules)
	if err != nil {
		return err
	}
	if !ok {
		f.unsaid()
		return nil
	}

	f.settings.Pooling = poolMean
	f.settings.Normalize = false
	pooled := false
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer":
		case "Pooling":
			pooled = true
			if err := f.poolingMode(m.Path); err != nil {
				return err
			}
		case "Normalize":
			f.settings.Normalize = true
		case "Dense":
			if err := f.addDense(m.Path, pooled); err != nil {
				return err
			}
		default:
			return &ModelError{
				Dir:    f.dir,
				Msg:    "has a module " + kind + ", which lore does not compute",
				Remedy: "export it with that module inside the graph and name the output in its " + OverrideFile,
			}
		}
	}

	if !pooled {
		f.note("modules.json names no pooling: mean pooling is assumed")
	}
	return nil
}

func (f *folder) poolingMode(path string) error {
	var modes map[string]any
	name := filepath.Join(path, "config.json")
	ok, err := f.read(name, &modes)
	if err != nil {
		return err
	}
	if !ok {
		return &ModelError{Dir: f.dir, Msg: "has no " + name, Remedy: "copy the whole folder"}
	}

	known := map[string]string{
		"pooling_mode_mean_tokens": poolMean,
		"pooling_mode_cls_token":   poolCLS,
		"pooling_mode_lasttoken":   poolLast,
		"pooling_mode_max_tokens":  poolMax,
	}
	var on []string
	for k, v := range modes {
		if set, _ := v.(bool); set && strings.HasPrefix(k, "pooling_mode_") {
			on = append(on, k)
		}
	}

	if len(on) != 1 || known[on[0]] == "" {
		slices.Sort(on)
		return &ModelError{
			Dir:    f.dir,
			Msg:    fmt.Sprintf("asks for the pooling %v, which lore does not compute", on),
			Remedy: "mean, cls, last and max are known; write pooling into its " + OverrideFile,
		}
	}

	f.settings.Pooling = known[on[0]]
	return nil
}

// prefixes reads what the model wants before queries and passages.
func (f *folder) prefixes() error {
	var config struct {
		Prompts    map[string]string `json:"prompts"`
		Similarity string            `json:"similarity_fn_name"`
	}
	if _, err := f.read(promptsFile, &config); err != nil {
		return err
	}

	switch {
	case config.Similarity == "" && f.family.dot, config.Similarity == Dot:
		f.settings.Similarity = Dot
	case config.Similarity == "", config.Similarity == Cosine:
		f.settings.Similarity = Cosine
	default:
		return &ModelError{
			Dir:    f.dir,
			Msg:    "compares vectors by " + config.Similarity + ", which lore does not",
			Remedy: "cosine and dot are known",
		}
	}

	f.prompts(config.Prompts)
	return nil
}

func (f *folder) apply(over override) {
	s := &f.settings
	if over.Pooling != "" {
		s.Pooling = over.Pooling
	}
	if over.Normalize != nil {
		s.Normalize = *over.Normalize
	}
	if over.MaxTokens > 0 {
		s.MaxTokens = over.MaxTokens
	}
	Prefixes{over.QueryPrefix, over.PassagePrefix}.set(s, &f.from, "prefixes by "+OverrideFile)
	f.output = cmp.Or(over.Output, f.output)
}

func (f *folder) note(s string) { f.settings.Notes = append(f.settings.Notes, s) }
