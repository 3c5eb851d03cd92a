package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"lore/local/published"
)

// On SummHay's two published haystacks, whose items are the units, oracle is told from random after
// correction with 5, 10 and 20 systems in the table.
func TestPublishedOracleAgainstRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("runs twenty systems")
	}
	news1 := published.Path(t, "data", "summhay", "topic_news1.json")
	news2 := published.Path(t, "data", "summhay", "topic_news2.json")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "run")
	systems := "oracle,random,bm25,keywords,full," +
		"bm25>mmr:0.1,bm25>mmr:0.2,bm25>mmr:0.3,bm25>mmr:0.4,bm25>mmr:0.5," +
		"bm25>mmr:0.6,bm25>mmr:0.7,bm25>mmr:0.8,bm25>mmr:0.9,bm25>first:200," +
		"keywords>mmr:0.1,keywords>mmr:0.3,keywords>mmr:0.5,keywords>mmr:0.7,keywords>mmr:0.9"
	var out, errs bytes.Buffer
	if code := Main([]string{"run", "summhay", news1, news2, "--retriever", systems, "--out", dir}, &out, &errs); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}

	five := []string{"--system", "oracle", "--system", "random", "--system", "bm25, ", "--system", "keywords, ", "--system", "full"}
	for n, filter := range map[int][]string{5: five, 10: append(five, "--system", "keywords>"), 20: nil} {
		out.Reset()
		if code := Main(append([]string{"compare", dir, "--format", "json"}, filter...), &out, &errs); code != exitOK {
			t.Fatalf("exit code %d\n%s", code, errs.String())
		}
		var got struct {
			Differences []struct {
				Metric, A, B string
				Tests        int
				PHolm        float64 `json:"p_holm"`
			}
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}

		seen := 0
		for _, d := range got.Differences {
			if d.A == "oracle, extractive" && d.B == "random, extractive" {
				seen++
				if d.PHolm >= 0.05 || d.Tests != n*(n-1)/2 {
					t.Errorf("%d systems, %s: p %g over %d tests", n, d.Metric, d.PHolm, d.Tests)
				}
			}
		}
		if seen != 4 {
			t.Errorf("%d systems: %d metrics of oracle against random, want 4", n, seen)
		}
	}
}
