package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore/embed/testmodel"
)

// TestKillWhileIndexing kills retrieval with SIGKILL while it indexes and embeds.
// The rerun must give the ranking of an undisturbed run, from an index that is whole,
// and two processes at once must end with that ranking or one clear error.
func TestKillWhileIndexing(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; TestKillAtAnyMoment kills a few runs")
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	if err := testmodel.Write(model, testmodel.BERT); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 5))
	words := strings.Fields("harbour wall sea storm stone boat road town council plan spring repair sand winter engineer board money region lorry shop")
	var corpus bytes.Buffer
	const size = 600
	for i := range size {
		var text []string
		for range 12 {
			text = append(text, words[rng.IntN(len(words))])
		}
		fmt.Fprintf(&corpus, `{"id":"d%04d","text":"%s"}`+"\n", i, strings.Join(text, " "))
	}
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	docs, queries := write("corpus.jsonl", corpus.String()), write("queries.tsv", "1\twho pays for the sea wall\n2\tstorm and stone\n")
	command := func(cache, out string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "retrieve", docs, queries, "--retriever", "rrf(bm25,dense:"+model+")", "--out", out)
		cmd.Env = append(os.Environ(), asCommand+"=1", "XDG_CACHE_HOME="+cache)
		return cmd
	}
	calm := filepath.Join(dir, "calm.trec")
	start := time.Now()
	if out, err := command(filepath.Join(dir, "cache"), calm).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(start)
	want := read(t, dir, "calm.trec")

	kills, killed := 10, 0
	for k := range kills {
		cache := filepath.Join(dir, fmt.Sprint("cache", k))
		cmd := command(cache, filepath.Join(dir, "never.trec"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * 0.8 * float64(whole)))
		_ = cmd.Process.Kill() // it may have finished
		if cmd.Wait() != nil {
			killed++
		}
		if out, err := command(cache, filepath.Join(dir, "again.trec")).CombinedOutput(); err != nil {
			t.Fatalf("the rerun failed: %v\n%s", err, out)
		}
		if !bytes.Equal(read(t, dir, "again.trec"), want) {
			t.Fatal("the rerun ranks otherwise")
		}
		if left, _ := filepath.Glob(filepath.Join(cache, "lore", "index", "*", "*.writing")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	t.Logf("%d of %d were killed before their end", killed, kills)
	if killed < kills/3 {
		t.Errorf("only %d of %d kills came in time: the test proves little", killed, kills)
	}

	cache := filepath.Join(dir, "two")
	var outs [2]bytes.Buffer
	var both [2]*exec.Cmd
	for i := range both {
		both[i] = command(cache, filepath.Join(dir, fmt.Sprintf("two%d.trec", i)))
		both[i].Stderr = &outs[i]
		if err := both[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	ended := 0
	for i, cmd := range both {
		if cmd.Wait() == nil {
			ended++
			if !bytes.Equal(read(t, dir, fmt.Sprintf("two%d.trec", i)), want) {
				t.Error("one of two processes ranks otherwise")
			}
		} else if s := outs[i].String(); !strings.Contains(s, "another process") || strings.Count(s, "\n") != 1 {
			t.Errorf("the second process says: %s", s)
		}
	}
	if ended == 0 {
		t.Error("neither of two processes ended well")
	}
}
