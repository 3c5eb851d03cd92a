package rehearsal

import (
	"encoding/json"
	"strings"
	"testing"

	"lore/cmd/lore/internal/forecast"
	"lore/local"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/schema"
)

func asking(text string, limit int, form json.RawMessage) local.Call {
	return local.Call{
		Backend: ollama.BackendName, Model: "m:latest", Schema: form,
		Messages: []local.Message{{Role: local.User, Content: text}},
		Options:  local.Options{NumPredict: limit, NumCtx: 4096},
	}
}

// A stand-in has the shape of a reply that is known, words of its own prompt, and the mark in every
// line and sentence.
func TestProseHasTheShapeOfAReply(t *testing.T) {
	m := newMemory()
	at := place{"generate", "ollama:m"}
	like := "- One two three. Four five six [2]\n- Seven eight [1]\n"
	m.learn(at, asking("q", 500, nil), local.Reply{Outcome: local.OK, Text: like})

	call := asking("alpha beta gamma delta epsilon", 500, nil)
	got := m.standIn(at, call)
	if got.Outcome != local.OK || len(strings.Fields(got.Text)) != len(strings.Fields(like)) {
		t.Errorf("%+v has another number of words than %q", got, like)
	}
	if strings.Count(got.Text, mark) != 3 || strings.Count(got.Text, "\n") != 2 || !strings.Contains(got.Text, "[2]") {
		t.Errorf("%q", got.Text)
	}
	for _, word := range strings.FieldsFunc(got.Text, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if word != mark && !strings.Contains(call.Messages[0].Content, word) {
			t.Errorf("%q is not of the prompt", word)
		}
	}
	if again := m.standIn(at, call); again.Text != got.Text {
		t.Error("the same call has two stand-ins")
	}
	if !madeUp(asking("about "+got.Text, 5, nil)) || madeUp(call) {
		t.Error("what is made up is not told from what is not")
	}
}

// A reply with a schema obeys it: taken over from another call where it says nothing of its own, as
// long as that fits, and made otherwise.
func TestInstancesObey(t *testing.T) {
	m := newMemory()
	at := place{"judge", "ollama:m"}
	label := schema.Object(schema.Field("bullet", schema.Each(1, 9)), schema.Field("label", schema.OneOf("none", "full"))).JSON()
	few := schema.Object(schema.Field("bullet", schema.Each(1, 2)), schema.Field("label", schema.OneOf("none", "full"))).JSON()
	list := schema.Object(schema.Field("points", schema.Array(schema.String()))).JSON()
	m.learn(at, asking("q", 64, label), local.Reply{Outcome: local.OK, Text: `{"bullet":7,"label":"full"}`})

	for name, c := range map[string]struct {
		form json.RawMessage
		want string
	}{
		"taken over": {label, `{"bullet":7,"label":"full"}`},
		"too large":  {few, `{"bullet":1,"label":"none"}`},
		"a list":     {list, ""},
	} {
		got := m.standIn(at, asking("some words", 64, c.form)).Text
		if err := gate.Obeys(c.form, got); err != nil {
			t.Errorf("%s: %s: %v", name, got, err)
		}
		if c.want != "" && got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if c.want == "" && !strings.Contains(got, mark) {
			t.Errorf("%s: %s has no mark", name, got)
		}
	}
}

// Calls to try are spread over all lengths, in rows where prompts begin alike, and never more than
// there are. A pool that has seen many calls keeps some of all.
func TestPoolSpreads(t *testing.T) {
	var p pool
	for i := range 5000 {
		p.add(asking(strings.Repeat("x", i+1), 10, nil), forecast.Call{Prompt: i + 1}, false)
	}
	if p.calls > mostKept+p.longest() || p.calls < mostKept/8 {
		t.Errorf("%d calls are kept", p.calls)
	}
	_, taken := p.choose(10, false)
	if len(taken) != 10 || taken[0].Prompt > 1000 || taken[9].Prompt < 4000 {
		t.Errorf("%+v", taken)
	}

	var rows pool
	for i := range 100 {
		call := asking(strings.Repeat("y", i+1), 10, nil)
		call.Prefix = string(rune('a' + i/5))
		rows.add(call, forecast.Call{Prompt: 10, Shared: 9}, false)
	}
	calls, _ := rows.choose(10, false)
	if len(calls) != 10 || calls[0].Prefix != calls[4].Prefix || calls[0].Prefix == calls[5].Prefix {
		t.Errorf("%d calls, not in rows", len(calls))
	}
	if calls, _ := rows.choose(10, true); len(calls) != 0 {
		t.Errorf("%d calls are made up", len(calls))
	}
}
