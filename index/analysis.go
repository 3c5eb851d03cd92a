package index

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2/analysis"
	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/standard" // analysers by name, here and below
	_ "github.com/blevesearch/bleve/v2/analysis/lang/ar"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/ckb"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/da"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/de"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/es"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/fa"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/fi"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/fr"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/hi"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/hr"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/hu"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/it"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/nl"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/no"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/pl"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/pt"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/ro"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/ru"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/sv"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/tr"
	"github.com/blevesearch/bleve/v2/registry"

	"lore/index/lucene"
)

// Analyzers are the text analysers that BM25 takes by name. Those of Bleve
// lower-case, drop stop words and, but for "standard" and "cjk", stem: "en" also
// drops possessives and stems by Porter. "whitespace" cuts at white space and
// changes nothing. "spaces" cuts at every single space, keeping case, line ends and
// the empty words between two spaces, as Python's split(" ") does. "lucene-en" is
// Lucene's EnglishAnalyzer, which Pyserini takes where none is named.
var Analyzers = []string{
	"en", LuceneEnglish, "standard", "whitespace", "spaces",
	"ar", "cjk", "ckb", "da", "de", "es", "fa", "fi", "fr", "hi", "hr",
	"hu", "it", "nl", "no", "pl", "pt", "ro", "ru", "sv", "tr",
}

// LuceneEnglish names Lucene's analyser of English, the one of Pyserini.
const LuceneEnglish = "lucene-en"

// Pyserini is another name of LuceneEnglish.
const Pyserini = "pyserini"

// CanonicalAnalyzer is the one name of an analyser that has two.
func CanonicalAnalyzer(name string) string {
	if name == Pyserini {
		return LuceneEnglish
	}
	return name
}

// emptyWord stands for the empty word, which an index cannot hold: a character
// that no text may use.
const emptyWord = "\uE000"

// splitter is a tokeniser made of a function.
type splitter func(text []byte) [][]byte

// Tokenize implements Bleve's Tokenizer.
func (f splitter) Tokenize(text []byte) analysis.TokenStream {
	words := f(text)
	out := make(analysis.TokenStream, len(words))
	at := 0
	for i, w := range words {
		if len(w) == 0 {
			w = []byte(emptyWord)
		}

		out[i] = &analysis.Token{
			Term:     w,
			Position: i + 1,
			Start:    at,
			End:      at + len(w),
			Type:     analysis.AlphaNumeric,
		}
		at += len(w) + 1
	}
	return out
}

// registerOwn makes the analysers that Bleve lacks known to it, once.
var registerOwn = sync.OnceValue(func() error {
	own := map[string]splitter{
		"whitespace": bytes.Fields,
		"spaces":     func(text []byte) [][]byte { return bytes.Split(text, []byte(" ")) },
		LuceneEnglish: func(text []byte) [][]byte {
			var out [][]byte
			for _, term := range lucene.English(string(text)) {
				out = append(out, []byte(term))
			}
			return out
		},
	}

	for name, split := range own {
		construct := func(map[string]any, *registry.Cache) (analysis.Analyzer, error) {
			return &analysis.DefaultAnalyzer{Tokenizer: split}, nil
		}
		if err := registry.RegisterAnalyzer("lore-"+name, construct); err != nil {
			return err
		}
	}
	return nil
})

// bleveName is the name an analyser has in Bleve's registry.
func bleveName(name string) string {
	if name == "whitespace" || name == "spaces" || name == LuceneEnglish {
		return "lore-" + name
	}
	return name
}

var analyzerCache = struct {
	sync.Mutex
	*registry.Cache
}{Cache: registry.NewCache()}

// Analyzer returns the named analyser: a function from a text to its terms.
func Analyzer(name string) (func(string) []string, error) {
	if !slices.Contains(Analyzers, name) {
		return nil, fmt.Errorf("unknown analyser %q; there are: %s", name, strings.Join(Analyzers, ", "))
	}
	if err := registerOwn(); err != nil {
		return nil, fmt.Errorf("register the analysers: %w", err)
	}

	analyzerCache.Lock()
	defer analyzerCache.Unlock()
	a, err := analyzerCache.AnalyzerNamed(bleveName(name))
	if err != nil {
		return nil, fmt.Errorf("open the analyser %q: %w", name, err)
	}

	return func(text string) []string {
		tokens := a.Analyze([]byte(text))
		out := make([]string, len(tokens))
		for i, t := range tokens {
			out[i] = string(t.Term)
		}
		return out
	}, nil
}
