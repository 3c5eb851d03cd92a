package stage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lore/local"
	"lore/local/schema"
)

func TestClosedList(t *testing.T) {
	text := schema.Object(schema.Field("points", schema.Array(schema.String()))).JSON()
	for _, c := range []struct {
		cut, want string
		n         int
	}{
		{`{"points":["a","b, [c]","d`, `{"points":["a","b, [c]"]}`, 2},
		{`{"points":["a","b\"],`, `{"points":["a"]}`, 1},
		{`{"points":["a","b"]`, `{"points":["a","b"]}`, 2},
		{`{"points":["a","b"],"more":"x`, `{"points":["a","b"]}`, 2},
		{`{"points":[1, 23, 4`, `{"points":[1, 23]}`, 2},
		{`{"points":[1, 23 ]`, `{"points":[1, 23 ]}`, 2},
		{`{"points":[{"a":"x","b":["y"]},{"a":"z`, `{"points":[{"a":"x","b":["y"]}]}`, 1},
		{`{"points":[[1,2],[3`, `{"points":[[1,2]]}`, 1},
		{`{"points":["a`, ``, 0},
		{`{"points":[`, ``, 0},
		{`{"points":[]`, ``, 0},
		{`{"po`, ``, 0},
		{`{"other":["a","b`, ``, 0}, // the schema asks for points
		{`]`, ``, 0},
		{`no JSON, "at all", but words`, ``, 0},
		{``, ``, 0},
	} {
		got, n := closedList(c.cut, text)
		if got != c.want || n != c.n {
			t.Errorf("%s: %d of %s, want %d of %s", c.cut, n, got, c.n, c.want)
		}
	}

	three := schema.Object(schema.Field("points", schema.Array(schema.String()).AtLeast(3).AtMost(4)),
		schema.Field("kind", schema.String())).JSON()
	for cut, want := range map[string]int{
		`{"kind":"k","points":["a","b","c","d`:         3,
		`{"kind":"k","points":["a","b","c`:             0,
		`{"kind":"k","points":["a","b","c","d","e","f`: 0,
		`{"points":["a","b","c","d`:                    0,
	} {
		if _, n := closedList(cut, three); n != want {
			t.Errorf("%s: %d, want %d", cut, n, want)
		}
	}
}

// Of a reply that is cut anywhere, what is taken are its first elements.
func FuzzClosedList(f *testing.F) {
	f.Add("one", `two "quoted"`, "three\\", 30)
	rule := schema.Object(schema.Field("points", schema.Array(schema.String()))).JSON()
	f.Fuzz(func(t *testing.T, a, b, c string, at int) {
		list := []string{strings.ToValidUTF8(a, ""), strings.ToValidUTF8(b, ""), strings.ToValidUTF8(c, "")}
		data, err := json.Marshal(map[string][]string{"points": list})
		if err != nil || at < 0 || at > len(data) {
			t.Skip()
		}
		whole, n := closedList(string(data[:at]), rule)
		if n == 0 {
			return
		}
		var got struct{ Points []string }
		if err := json.Unmarshal([]byte(whole), &got); err != nil || fmt.Sprint(got.Points) != fmt.Sprint(list[:n]) {
			t.Errorf("%s: %v %q", data[:at], err, got.Points)
		}
	})
}

// A cut reply is taken as far as it is closed, and the log says so; half of a list that
// must be whole is refused.
func TestCutReplies(t *testing.T) {
	type reply struct{ Points []string }
	for _, complete := range []bool{false, true} {
		q := Question[reply]{
			Schema:   schema.Object(schema.Field("points", schema.Array(schema.String()))).JSON(),
			Complete: complete,
		}
		r, what := q.salvage(local.Reply{Outcome: local.Cut, Detail: "limit", Text: `{"points":["a","b","c`})
		if (r.Outcome == local.OK) == complete || (what == "limit: the first 2 of the list are closed, and are taken") == complete {
			t.Errorf("complete %v: %+v %q", complete, r, what)
		}
	}
}
