package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/local/ollama/ollamatest"
)

// offered is what the shell would be offered for a line.
func offered(t *testing.T, line ...string) []string {
	t.Helper()
	out := strings.Split(output(t, append([]string{"__complete"}, line...)...), "\n")
	var names []string
	for _, l := range out {
		if l != "" && !strings.HasPrefix(l, ":") && !strings.HasPrefix(l, "Completion ended") {
			name, _, _ := strings.Cut(l, "\t")
			names = append(names, name)
		}
	}
	return names
}

// The tab key offers benchmarks, run folders, names and the models of the server that runs.
func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	lore(t, "run", "summhay", "--retriever", "bm25", "--limit", "1", "--budget-tokens", "1000", "--out", filepath.Join("studies", "june"))
	server := &ollamatest.Server{Answer: ollamatest.Plausible}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)

	for _, c := range []struct {
		line []string
		has  []string
		not  []string
	}{
		{[]string{"r"}, []string{"run", "runs", "report", "retrieve"}, []string{"view"}},
		{[]string{"run", ""}, []string{"summhay", "msrs", "crux", "long2rag"}, nil},
		{[]string{"run", "summhay", ""}, nil, []string{"summhay"}},
		{[]string{"report", ""}, []string{"studies/june"}, nil},
		{[]string{"compare", "studies/june", ""}, nil, []string{"studies/june"}},
		{[]string{"run", "summhay", "--retriever", "bm25,or"}, []string{"bm25,oracle", "bm25,oracle1"}, []string{"bm25,random"}},
		{[]string{"run", "summhay", "--retriever", "rrf(bm25,de"}, []string{"rrf(bm25,dense:"}, nil},
		{[]string{"run", "summhay", "--judge", "lexical,"}, []string{"lexical,nli:"}, nil},
		{[]string{"run", "summhay", "--generator", "o"}, []string{"ollama:fake"}, []string{"extractive"}},
		{[]string{"report", "studies/june", "--format", ""}, []string{"text", "latex", "csv"}, nil},
		{[]string{"g"}, []string{"gate"}, nil},
		{[]string{"gate", ""}, []string{"studies/june"}, nil},
		{[]string{"gate", "studies/june", "--format", "j"}, []string{"junit", "json"}, []string{"text"}},
		{[]string{"gate", "studies/june", "--unit", ""}, []string{"item", "group"}, nil},
		{[]string{"gate", "studies/june", "--cannot-tell", "P"}, []string{"pass"}, []string{"fail"}},
		{[]string{"report", "studies/june", "--tidy", ""}, []string{"values", "figures"}, nil},
		{[]string{"report", "studies/june", "--columns", "joint,Cov"}, []string{"joint,coverage"}, []string{"joint,cov_answer@3"}},
		{[]string{"report", "studies/june", "--format", "p"}, []string{"parquet"}, nil},
		{[]string{"compare", "studies/june", "--metric", "cit"}, []string{"citation"}, []string{"cov_answer@3"}},
		{[]string{"data", ""}, []string{"list", "import", "verify"}, nil},
		{[]string{"data", "list", ""}, []string{"summhay", "msrs", "crux", "long2rag"}, nil},
		{[]string{"data", "list", "msrs", ""}, nil, []string{"summhay"}},
		{[]string{"data", "import", ""}, []string{"summhay", "msrs", "crux", "long2rag"}, nil},
		{[]string{"data", "import", "msrs", "--domain", ""}, []string{"story", "meeting"}, nil},
		{[]string{"data", "verify", ""}, []string{"summhay", "long2rag"}, nil},
		{[]string{"run", "msrs", "--split", "d"}, []string{"dev"}, []string{"test"}},
		{[]string{"run", "summhay", "--cut", ""}, []string{"scored", "unscored"}, nil},
		{[]string{"run", "summhay", "--order", "top,b"}, []string{"top,bottom"}, nil},
		{[]string{"run", "summhay", "--judge-mode", ""}, []string{"schema", "logprob"}, nil},
		{[]string{"run", "summhay", "--language", "d"}, []string{"de"}, []string{"en"}},
		{[]string{"run", "summhay", "--think", ""}, []string{"low"}, nil},
		{[]string{"build", "msrs", "--model", "o"}, []string{"ollama:fake"}, nil},
		{[]string{"run", "summhay", "--system", ""}, []string{"yaml", "yml", "json"}, nil}, // the endings of files
		{[]string{"doctor", "--system", "r"}, []string{"yaml"}, nil},
		{[]string{"label", "plan", "studies/june", "--task", "c"}, []string{"coverage", "criteria", "consistency"}, []string{"errors"}},
	} {
		got := offered(t, c.line...)
		for _, want := range c.has {
			if !slices.Contains(got, want) {
				t.Errorf("%q: %q is not offered: %q", c.line, want, got)
			}
		}
		for _, bad := range c.not {
			if slices.Contains(got, bad) {
				t.Errorf("%q: %q is offered: %q", c.line, bad, got)
			}
		}
	}
}

// A server that is not there, or is on another machine that nobody named, is no reason to wait
// or to ask.
func TestCompletionAsksNobodyElse(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, host := range []string{gone.URL, "http://models.example:11434"} {
		t.Setenv("OLLAMA_HOST", host)
		if got := offered(t, "run", "summhay", "--generator", "o"); !slices.Equal(got, []string{"ollama:", "openai:"}) {
			t.Errorf("%s: offered %q", host, got)
		}
	}
}

// Names may be written in large letters; what follows them stays as it is.
func TestNamesInAnyCase(t *testing.T) {
	for given, want := range map[string]string{
		"BM25,Oracle": "bm25,oracle",
		"RRF(BM25,Dense:Models/MiniLM)>Rerank:llm:Qwen3:8B@20": "rrf(bm25,dense:Models/MiniLM)>rerank:llm:Qwen3:8B@20",
		"bm25, Random":          "bm25, random",
		"trec:BM25.trec,ORACLE": "trec:BM25.trec,oracle",
		"dense:Oracle":          "dense:Oracle",
		"nonsense":              "nonsense",
		"":                      "",
	} {
		if got := cased(given, retrieverNames); got != want {
			t.Errorf("%q becomes %q, not %q", given, got, want)
		}
	}
	for given, want := range map[string]string{
		"Lexical+OLLAMA:Qwen3:8B":     "lexical+ollama:Qwen3:8B",
		"Recorded:Lexical":            "recorded:Lexical",
		"NLI:/Models/Lexical,LEXICAL": "nli:/Models/Lexical,lexical",
	} {
		if got := cased(given, judgeNames); got != want {
			t.Errorf("%q becomes %q, not %q", given, got, want)
		}
	}

	// So may what settings and other flags take, and benchmarks wherever they are named.
	for _, line := range [][]string{
		{"data", "list", "SummHay"},
		{"retrieve", "--bench", "CRUX", "--retriever", "BM25"},
		{"run", "MSRS", "--domain", "Story", "--split", "TEST", "--cut", "Scored", "--limit", "1", "--out", filepath.Join(t.TempDir(), "m")},
	} {
		lore(t, line...)
	}

	dir := t.TempDir()
	lore(t, "run", "SummHay", "--retriever", "BM25", "--judge", "Lexical", "--generator", "Extractive", "--limit", "1", "--out", filepath.Join(dir, "a"))
	lore(t, "run", "summhay", "--retriever", "bm25", "--judge", "lexical", "--generator", "extractive", "--limit", "1", "--out", filepath.Join(dir, "b"))
	for _, name := range []string{"scores.json", "answers.jsonl", "report.md"} {
		a, err := os.ReadFile(filepath.Join(dir, "a", name))
		if b, err2 := os.ReadFile(filepath.Join(dir, "b", name)); err != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s differs (%v, %v)", name, err, err2)
		}
	}
}

// Whatever is written, only the case of known names changes, and only once.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"BM25,oracle", "rrf(A,b)>x:Y@2", "::,(", "a b", "É,ORACLE"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := cased(s, retrieverNames)
		if !strings.EqualFold(got, s) || cased(got, retrieverNames) != got {
			t.Errorf("%q becomes %q", s, got)
		}
	})
}
