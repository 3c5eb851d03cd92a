package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lore/local"
)

// A journal is read as it grows: nothing twice, nothing before it is whole, and nothing that
// is damaged.
func TestFollowerReadsWhatIsNew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "calls")
	f := NewFollower(dir)
	next := func() []string {
		t.Helper()
		var out []string
		if err := f.Next(func(e Entry) { out = append(out, e.Reply.Text) }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := next(); got != nil {
		t.Errorf("before there is a journal: %v", got)
	}

	line := func(n int) []byte {
		call := local.Call{Backend: "fake", Messages: []local.Message{{Content: fmt.Sprint(n)}}}
		data, err := encodeLine(Entry{Key: call.Key(), At: time.Now(), Call: call, Reply: local.Reply{Outcome: local.OK, Text: fmt.Sprint("reply ", n)}})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	write := func(name string, data ...[]byte) {
		t.Helper()
		file, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.Write(slices.Concat(data...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}

	third := line(3)
	damaged := slices.Concat(line(4)[:40], []byte("x\n"))
	write("journal.jsonl", line(1), line(2), third[:50])
	if got := next(); !slices.Equal(got, []string{"reply 1", "reply 2"}) {
		t.Errorf("first: %v", got)
	}
	write("journal.jsonl", third[50:], damaged, line(5))
	write("other.jsonl", line(6))
	if got := next(); !slices.Equal(got, []string{"reply 3", "reply 5", "reply 6"}) {
		t.Errorf("then: %v", got)
	}
	if got := next(); got != nil {
		t.Errorf("nothing is new: %v", got)
	}

	// A journal that was repaired is written anew, and read again.
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), line(7), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := next(); !slices.Equal(got, []string{"reply 7"}) {
		t.Errorf("written anew: %v", got)
	}
}
