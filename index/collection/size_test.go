package collection

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lore/index"
	"lore/local/files"
	"lore/local/published"
)

// sizeChild has the test open a corpus, ask one query and say what that took.
const sizeChild = "LORE_INDEX_SIZE_CHILD"

// writePassages writes n passages of 45 words of MSRS as lines of JSON, the first ones as they stand there.
func writePassages(t *testing.T, path string, n int) {
	t.Helper()
	var words []string
	for _, domain := range []string{"story", "meeting"} {
		docs, err := files.Folder(published.Path(t, "data/msrs", domain, "documents"))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			words = append(words, strings.Fields(d.Text)...)
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewPCG(42, 42))
	const length = 45
	for i := range n {
		passage := make([]string, length)
		for k := range passage {
			switch at := i*length + k; {
			case at < len(words):
				passage[k] = words[at]
			case rng.IntN(1000) < 3:
				passage[k] = fmt.Sprintf("neu%x", rng.Uint32())
			default:
				passage[k] = words[rng.IntN(len(words))]
			}
		}
		line, err := json.Marshal(map[string]string{"id": fmt.Sprintf("p%07d", i), "text": strings.Join(passage, " ")})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(append(line, '\n')) // Flush says
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

func openSized(t *testing.T, dir, corpus string) (*index.Store, *index.BM25) {
	t.Helper()
	source, err := Open(corpus)
	if err != nil {
		t.Fatal(err)
	}
	s, err := index.OpenStore(context.Background(), dir, index.Origin{Path: corpus, Files: source.Files, Each: source.Each}, index.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := index.OpenBM25(context.Background(), dir, s, "en", index.DefaultBM25)
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

// memory is a line of what the system says of this process, in MB.
func memory(t *testing.T, what string) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == what+":" {
			kb, _ := strconv.Atoi(f[1])
			return kb / 1024
		}
	}
	return 0
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestIndexSize measures what LORE_INDEX_SIZE passages cost: make bench-index and make bench-index-5m run it.
func TestIndexSize(t *testing.T) {
	if at := os.Getenv(sizeChild); at != "" {
		start := time.Now()
		_, b := openSized(t, filepath.Join(at, "index"), filepath.Join(at, "corpus.jsonl"))
		if _, err := b.Retrieve(context.Background(), index.Query{Text: "who pays for the sea wall"}, 100); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("child %d %d %d\n", time.Since(start).Milliseconds(), memory(t, "RssAnon"), memory(t, "RssFile"))
		return
	}
	n, _ := strconv.Atoi(os.Getenv("LORE_INDEX_SIZE"))
	if n == 0 {
		t.Skip("takes minutes; make bench-index runs it")
	}
	dir := t.TempDir()
	corpus := filepath.Join(dir, "corpus.jsonl")
	writePassages(t, corpus, n)
	line := func(what string, value, bound float64, ok bool) {
		fmt.Printf("%-58s %10.2f   must hold %10.2f   %v\n", what, value, bound, ok)
	}
	least := func(what string, value, bound float64) { line(what, value, bound, value >= bound) }
	most := func(what string, value, bound float64) { line(what, value, bound, value <= bound) }

	runtime.GC()
	start, used := time.Now(), processorTime()
	s, b := openSized(t, filepath.Join(dir, "index"), corpus)
	took, busy := time.Since(start), processorTime()-used
	least("passages/s, indexed, with reading", float64(n)/took.Seconds(), 15_000)
	fmt.Printf("%-58s %10.2f\n", "passages per second of processor time", float64(n)/busy.Seconds())
	var size int64
	_ = filepath.WalkDir(filepath.Join(dir, "index"), func(_ string, d fs.DirEntry, _ error) error {
		if info, err := d.Info(); err == nil && !d.IsDir() {
			size += info.Size()
		}
		return nil
	})
	most("GB of index with texts, per million", float64(size)/1e9/float64(n)*1e6, 1.5)
	most("GB resident at most while indexing", float64(memory(t, "VmHWM"))/1024, 8)

	child := exec.Command(os.Args[0], "-test.run", "^TestIndexSize$")
	child.Env = append(os.Environ(), sizeChild+"="+dir)
	out, err := child.Output()
	var ms, anon, mapped int
	if _, scanErr := fmt.Sscanf(string(out), "child %d %d %d", &ms, &anon, &mapped); err != nil || scanErr != nil {
		t.Fatalf("%v, %v: %s", err, scanErr, out)
	}
	most("seconds to open and answer the first query", float64(ms)/1000, 0.3)
	most("MB resident beyond the mapped files", float64(anon), 200)

	var queries []index.Query
	for _, domain := range []string{"story", "meeting"} {
		data, err := os.ReadFile(published.Path(t, "data/msrs", domain, "queries_test.json"))
		if err != nil {
			t.Fatal(err)
		}
		var rows map[string]struct{ Query string }
		if err := json.Unmarshal(data, &rows); err != nil {
			t.Fatal(err)
		}
		for _, id := range slices.Sorted(maps.Keys(rows)) {
			queries = append(queries, index.Query{Text: rows[id].Query})
		}
	}
	for len(queries) < 1000 {
		queries = append(queries, queries...)
	}
	rank := func(processors int) time.Duration {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		start := time.Now()
		if _, err := b.RetrieveBatch(context.Background(), queries[:1000], 100, nil); err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	rank(2)
	one, two := rank(1), rank(2)
	one, two = min(one, rank(1)), min(two, rank(2))
	least("times faster, 1,000 queries on two processors than on one", one.Seconds()/two.Seconds(), 1.8)
	fmt.Printf("%-58s %10.2f\n", "ms a query on one processor", float64(one.Microseconds())/1e6)
	b.Close()
	s.Close()
}
