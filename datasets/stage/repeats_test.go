package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"lore/local"
	"lore/local/prompt"
	"lore/local/schema"
)

// Elements that repeat an earlier one are cut, in whole replies and in those that were cut, with a note of how many;
// not from lists of numbers or from a menu, nor where too few would be left.
func TestRepeatsAreCut(t *testing.T) {
	type reply struct{ Points []string }
	texts := schema.Array(schema.String())
	one := schema.Object(schema.Field("name", schema.String()), schema.Field("text", schema.String()))
	for _, c := range []struct {
		name     string
		list     schema.Schema
		complete bool
		text     string
		want     string
		note     string
	}{
		{"none", texts, false, `{"points":["a b","a c"]}`, `{"points":["a b","a c"]}`, ""},
		{"in other words", texts, false, `{"points":["The wall held.","It fell.","the  wall held","The wall held!"]}`,
			`{"points":["The wall held.","It fell."]}`, "2 of the 4 elements"},
		{"objects", schema.Array(one), false, `{"points":[{"name":"a","text":"b"},{"text":"b","name":"A"},{"name":"a","text":"c"}]}`,
			`{"points":[{"name":"a","text":"b"},{"name":"a","text":"c"}]}`, "1 of the 3 elements"},
		{"signs alone", texts, false, `{"points":["→","→","←"]}`, `{"points":["→","←"]}`, "1 of the 3 elements"},
		{"numbers", schema.Array(schema.Integer()), false, `{"points":[1,1,2]}`, `{"points":[1,1,2]}`, ""},
		{"pairs", schema.Array(schema.Array(schema.Integer())), false, `{"points":[[1,2],[1,2]]}`, `{"points":[[1,2],[1,2]]}`, ""},
		{"a menu", schema.Array(schema.OneOf("yes", "no")), false, `{"points":["yes","yes"]}`, `{"points":["yes","yes"]}`, ""},
		{"too few", texts.AtLeast(2), false, `{"points":["a","a"]}`, `{"points":["a","a"]}`, ""},
		{"a list that is right as a whole", texts, true, `{"points":["a","a"]}`, `{"points":["a","a"]}`, ""},
	} {
		q := Question[reply]{Schema: schema.Object(schema.Field("points", c.list)).JSON(), Complete: c.complete}
		r, what := q.withoutRepeats(local.Reply{Outcome: local.OK, Text: c.text})
		if r.Text != c.want || (c.note == "") != (what == "") || !strings.Contains(what, c.note) {
			t.Errorf("%s: %s, %q", c.name, r.Text, what)
		}
	}
}

// looping is a model that gives the same reply, which reached its limit.
type looping string

func (l *looping) All(_ context.Context, calls []local.Call, done func(int, local.Reply)) error {
	for i := range calls {
		done(i, local.Reply{Outcome: local.Cut, Detail: "limit", Text: string(*l)})
	}
	return nil
}

// A reply in a loop is kept as far as it says something new, and the log has both: that it was cut, and what was left out.
func TestLoops(t *testing.T) {
	type reply struct{ Points []string }
	loop := `{"points":["The wall held.","The board paid.` + strings.Repeat(`","The board paid.`, 40)
	model := looping(loop)
	s := &Session{Calls: &model, Tries: 3, Prompts: prompt.NewSet(nil, fstest.MapFS{"p.txt": {Data: []byte("Points?")}})}
	values, failed, err := Ask(t.Context(), s, Question[reply]{
		Stage:   "points",
		Prompt:  "p.txt",
		Schema:  schema.Object(schema.Field("points", schema.Array(schema.String()))).JSON(),
		Data:    func(int, string) any { return nil },
		Subject: func(int) string { return "d" },
	}, []int{0})
	if err != nil || len(failed) > 0 || !slices.Equal(values[0].Points, []string{"The wall held.", "The board paid."}) {
		t.Errorf("%v, %v, %q", err, failed, values[0].Points)
	}
	thrown := ThrownAway(s.Log())
	if len(s.Log()) != 2 || len(thrown) != 1 || thrown[0].Fate != FateLeftOut {
		t.Errorf("%+v\n%+v", s.Log(), thrown)
	}
}

// What is left has no repeats, begins like the list, and is the same when it is cut again.
func FuzzDistinct(f *testing.F) {
	f.Add("one", "One.", "two")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var list []json.RawMessage
		for _, s := range []string{a, b, c, a} {
			data, err := json.Marshal(s)
			if err != nil {
				t.Skip()
			}
			list = append(list, data)
		}
		once, repeated := distinct(list)
		again, more := distinct(once)
		if Wording(a) != "" && repeated == nil || more != nil || fmt.Sprint(again) != fmt.Sprint(once) || string(once[0]) != string(list[0]) {
			t.Errorf("%q: %q, %q", list, once, repeated)
		}
	})
}
