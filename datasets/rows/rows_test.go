package rows

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

type table struct {
	Name string             `parquet:"name"`
	List []string           `parquet:"list,list"`
	Rows []map[string]int64 `parquet:"rows,list"`
	None *string            `parquet:"none,optional"`
}

// A row reads the same from Parquet, lines and a list.
func TestEachAndPlain(t *testing.T) {
	dir := t.TempDir()
	var buf bytes.Buffer
	if err := parquet.Write(&buf, []table{{"x", []string{"a", "b"}, []map[string]int64{{"k": 1}}, nil}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "x", "list": []any{"a", "b"}}
	for name, data := range map[string]string{
		"t.parquet": buf.String(),
		"t.jsonl":   `{"name":"x","list":["a","b"],"none":null}` + "\n",
		"t.json":    `[{"name":"x","list":["a","b"]}]`,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		n := 0
		err := Each(path, func(i int, row map[string]any) error {
			n++
			got := Plain(row).(map[string]any)
			delete(got, "rows") // maps of Parquet are lists of pairs
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, row %d: %s", name, i, diff)
			}
			return nil
		})
		if err != nil || n != 1 {
			t.Errorf("%s: %d rows, %v", name, n, err)
		}
	}

	if err := Each(filepath.Join(dir, "t.csv"), nil); err == nil || !strings.Contains(err.Error(), "whose cells hold no lists") {
		t.Errorf("%v", err)
	}
	empty := filepath.Join(dir, "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Each(empty, nil); err == nil || !strings.Contains(err.Error(), "has no rows") {
		t.Errorf("%v", err)
	}
}
