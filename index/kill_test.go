package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// killChild has the test turn the store in that folder into the documents of killState.
const (
	killChild = "LORE_INDEX_KILL_CHILD"
	killState = "LORE_INDEX_KILL_STATE"
)

// killed is a corpus in one of its states: half of the documents are those of every state.
func killed(state int) []Document {
	docs := make([]Document, 3000)
	for i := range docs {
		docs[i] = Document{ID: fmt.Sprintf("d%04d", i), Text: fmt.Sprintf("the sea wall number %d is of stone %d", i, i*i)}
		if i%2 == 0 {
			docs[i].ID += fmt.Sprintf("-%d", state)
		}
	}
	return docs
}

// A process that adds and deletes documents is killed at any moment. What it leaves opens, and is the old set or the new
// one whole. LORE_INDEX_KILLS=20 makes it 20 kills.
func TestKillWhileAdding(t *testing.T) {
	ctx, opt := context.Background(), StoreOptions{budget: 20_000}
	if dir := os.Getenv(killChild); dir != "" {
		state, _ := strconv.Atoi(os.Getenv(killState))
		s, err := OpenStore(ctx, dir, origin("corpus", killed(state)), opt)
		if err == nil {
			_, err = OpenBM25(ctx, dir, s, "en", DefaultBM25)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}

	kills := 4
	if n, err := strconv.Atoi(os.Getenv("LORE_INDEX_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	start := time.Now()
	folder := stored(t, dir, killed(0), opt.budget).folder
	whole := time.Since(start) + 300*time.Millisecond // and for the start of a process
	rng := rand.New(rand.NewPCG(7, 7))
	old, early, replaced := 0, 0, 0
	for k := range kills {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestKillWhileAdding$")
		cmd.Env = append(os.Environ(), killChild+"="+dir, fmt.Sprintf("%s=%d", killState, k+1))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * 0.6 * float64(whole)))
		_ = cmd.Process.Kill() // it may have finished
		if cmd.Wait() != nil {
			early++
		}

		s, err := openFolder(folder)
		if err != nil {
			t.Fatalf("kill %d: the index does not open: %v", k, err)
		}
		got, err := All(s)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case cmp.Equal(got, killed(k+1)):
			old, replaced = k+1, replaced+1
		case !cmp.Equal(got, killed(old)):
			t.Fatalf("kill %d: %d documents, neither the old set nor the new one", k, len(got))
		}
		s.Close()
	}
	equalDocuments(t, stored(t, dir, killed(0), opt.budget), killed(0))
	t.Logf("%d of %d opened again; %d were killed before their end, %d had put the new set in place", kills, kills, early, replaced)
}
