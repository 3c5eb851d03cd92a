package index

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/blevesearch/bleve/v2/analysis/lang/bg" // lists that no analyser of ours has, to tell languages apart
	_ "github.com/blevesearch/bleve/v2/analysis/lang/ca"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/cs"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/el"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/id"

	"lore/local/text"
)

var update = flag.Bool("update", false, "write local/text/functionwords.txt from the lists of Bleve")

// wordsFile is where package text has the function words.
const wordsFile = "../local/text/functionwords.txt"

const wordsHead = `# Function words by language, as Bleve v2 has them (Apache-2.0). Most of its lists are Snowball's and
# those that Lucene took from Jacques Savoy, under the BSD licence.
# Written by: go test ./index -run TestFunctionWordsAreThoseOfBM25 -update
`

// TestFunctionWordsAreThoseOfBM25 compares the function words of package text, which judges and
// generators set aside, with those that the analysers of BM25 drop.
func TestFunctionWordsAreThoseOfBM25(t *testing.T) {
	var b strings.Builder
	b.WriteString(wordsHead)
	for _, code := range strings.Fields("ar bg ca ckb cs da de el es fa fi fr hi hr hu id it nl no pl pt ro ru sv tr") {
		list, err := analyzerCache.TokenMapNamed("stop_" + code)
		if err != nil {
			t.Fatal(err)
		}

		line := code + ":"
		for _, w := range slices.Sorted(maps.Keys(list)) {
			if len(line)+len(w) > 115 {
				fmt.Fprintln(&b, line)
				line = ""
			}
			line += " " + strings.ToLower(strings.Join(strings.Fields(w), "_"))
		}
		fmt.Fprintln(&b, line)
	}

	if *update {
		if err := os.WriteFile(wordsFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(wordsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s differs from Bleve's lists; write it anew with -update, and read what changed", wordsFile)
	}
	for _, code := range []string{"de", "fr", "ar", "hi", "tr"} {
		list, _ := analyzerCache.TokenMapNamed("stop_" + code)
		l, _ := text.Lookup(code)
		for w := range list {
			if words := l.Words(w); len(words) == 1 && !l.IsStop(words[0]) {
				t.Errorf("%s: BM25 drops %q, and package text keeps it", l, w)
			}
		}
	}
}
