package embed

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/embed/testmodel"
)

// A folder is known by its name, by the name in its config.json, by an architecture, or not;
// what its own files say of prompts comes before the table, and what is given before both.
func TestRecognise(t *testing.T) {
	given := "given: "
	for name, c := range map[string]struct {
		folder, config, prompts, over string
		prefixes                      Prefixes
		query, passage, note          string
	}{
		"folder": {
			folder: "e5-base-v2", query: "query: ", passage: "passage: ", note: "prefixes of e5 models, by the folder's name",
		},
		"cache of Hugging Face": {
			folder: "models--Snowflake--snowflake-arctic-embed-l-v2.0/snapshots/0123abcd", query: "query: ", note: "of arctic-embed v2",
		},
		"config": {
			folder: "encoder", config: `{"_name_or_path": "nomic-ai/nomic-embed-text-v1.5", "max_position_embeddings": 64}`,
			query: "search_query: ", passage: "search_document: ", note: "by the name in its config.json, nomic-ai/nomic-embed-text-v1.5",
		},
		"none by the table":  {folder: "gte-base", note: "no prefixes, as gte models have none, by the folder's name"},
		"not known":          {folder: "encoder", note: noPrefixes},
		"nearly known":       {folder: "e6-base-v2", note: noPrefixes},
		"files before table": {folder: "e5-base", prompts: `{"query": "ask: "}`, query: "ask: ", note: "prefixes by " + promptsFile},
		"empty prompts": {
			folder: "e5-base", prompts: `{"query": "", "document": ""}`, query: "query: ", passage: "passage: ", note: "of e5 models",
		},
		"prompts of other names": {
			folder: "encoder", prompts: `{"retrieval.query": "q: ", "retrieval.passage": "p: "}`, query: "q: ", passage: "p: ",
			note: "prefixes by " + promptsFile,
		},
		"prompts for other tasks": {
			folder: "encoder", prompts: `{"clustering": "cluster: "}`, note: "whose prompts are for other tasks (clustering)",
		},
		"lore.json": {
			folder: "e5-base", over: `{"passage_prefix": "file: "}`, query: "query: ", passage: "file: ",
			note: "of documents: prefixes by lore.json",
		},
		"given": {
			folder: "e5-base", prompts: `{"query": "ask: "}`, prefixes: Prefixes{Query: &given, Passage: &given},
			query: given, passage: given, note: asGiven,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), filepath.FromSlash(c.folder))
			must(t, testmodel.Write(dir, testmodel.BERT))
			for file, content := range map[string]string{
				"config.json": c.config, promptsFile: wrap(c.prompts), OverrideFile: c.over,
			} {
				if content != "" {
					write(t, dir, file, content)
				}
			}

			enc, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{}, c.prefixes)
			must(t, err)
			defer enc.Close()
			s := enc.Settings()
			if s.QueryPrefix != c.query || s.PassagePrefix != c.passage || !strings.Contains(strings.Join(s.Notes, "; "), c.note) {
				t.Errorf("prefixes %q and %q, notes %q", s.QueryPrefix, s.PassagePrefix, s.Notes)
			}
		})
	}
}

func wrap(prompts string) string {
	if prompts == "" {
		return ""
	}
	return `{"prompts": ` + prompts + `}`
}

// Contriever's folder has no files of Sentence Transformers. It is compared by dot products of
// the plain means of token vectors, without prefixes.
func TestContriever(t *testing.T) {
	for name, config := range map[string]string{
		"contriever-msmarco": `{"model_type": "bert", "max_position_embeddings": 64}`,
		"fine-tuned":         `{"model_type": "bert", "max_position_embeddings": 64, "architectures": ["Contriever"]}`,
	} {
		dir := filepath.Join(t.TempDir(), name)
		must(t, testmodel.Write(dir, testmodel.BERT))
		must(t, os.Remove(filepath.Join(dir, "modules.json")))
		write(t, dir, "config.json", config)

		enc, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{})
		must(t, err)
		defer enc.Close()
		s := enc.Settings()
		notes := strings.Join(s.Notes, "; ")
		if s.Pooling != poolMean || s.Normalize || s.Similarity != Dot || s.QueryPrefix != "" ||
			!strings.Contains(notes, "are those of contriever models") || !strings.Contains(notes, "no prefixes, as contriever models") {
			t.Errorf("%s: %+v", name, s)
		}

		in := input{}
		in.ids, in.types = enc.(*encoder).tok.single.fill(enc.(*encoder).tok.encode("sea wall"), nil)
		out, err := enc.(*encoder).rt.run(context.Background(), []input{in})
		must(t, err)
		var want []float32
		for k := range out[0].tokens[0] {
			sum := 0.0
			for _, v := range out[0].tokens {
				sum += float64(v[k])
			}
			want = append(want, float32(sum/float64(len(out[0].tokens))))
		}
		if d := distance(embedAll(t, enc, "sea wall")[0].Vector, want); d > 1e-6 {
			t.Errorf("%s: off by %g from the mean of the token vectors", name, d)
		}
	}
}

// A model with more than an encoder is used by the output that holds its vectors, or refused.
func TestGraphOfFamily(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "embeddinggemma-300m")
	must(t, testmodel.Write(dir, testmodel.BERT))
	must(t, os.Remove(filepath.Join(dir, "modules.json")))
	_, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{})
	if err == nil || !strings.Contains(err.Error(), "has no output sentence_embedding; it has last_hidden_state") {
		t.Errorf("%v", err)
	}
}

// A Dense module after the pooling is computed: here it adds the first two values, and halves the
// third, by weights that the test writes.
func TestDenseModule(t *testing.T) {
	dir := modelDir(t, testmodel.Last)
	plain, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{})
	must(t, err)
	defer plain.Close()
	before := embedAll(t, plain, "sea wall")[0].Vector

	weights := make([]float32, 2*len(before))
	weights[0], weights[1], weights[len(before)+2] = 1, 1, 0.5
	must(t, os.MkdirAll(filepath.Join(dir, "2_Dense"), 0o777))
	write(t, dir, "2_Dense/model.safetensors", string(testmodel.Safetensors("linear.weight", weights, 2, len(before))))
	write(t, dir, "2_Dense/config.json", `{"in_features": 32, "out_features": 2, "bias": false}`)
	write(t, dir, "modules.json", `[{"path": "", "type": "x.Transformer"}, {"path": "1_Pooling", "type": "x.Pooling"},
		{"path": "2_Dense", "type": "x.Dense"}]`)
	enc, err := OpenONNX(context.Background(), dir, Windows{Long: Mean}, Engine{})
	must(t, err)
	defer enc.Close()
	want := []float32{before[0] + before[1], before[2] / 2}
	if got := embedAll(t, enc, "sea wall")[0].Vector; distance(got, want) > 1e-6 {
		t.Errorf("%v, want %v", got, want)
	}
	if len(enc.Settings().Dense) != 1 || enc.Settings().Hash() == plain.Settings().Hash() {
		t.Errorf("%+v does not tell the Dense module", enc.Settings())
	}
}

// What a folder without vectors is good for is said by the form of its only output.
func TestOutputsWithoutVectors(t *testing.T) {
	for rank, want := range map[int]string{2: "rerank:cross:DIR", 3: "sparse:DIR"} {
		_, err := chooseOutput(&folder{dir: "d", pooled: true}, []string{"logits"}, []int{rank})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d dimensions: %v, want %s", rank, err, want)
		}
	}
}
