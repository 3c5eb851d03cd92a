package fake

import (
	"math"
	"testing"

	"lore/local"
)

// What happens is fixed by seed and key, and happens as often as it should.
func TestNoise(t *testing.T) {
	n := Noise{Seed: 1, Wrong: 0.1, Blind: 0.1, Agree: 0.2}
	wrong, agreed := 0, 0
	for i := range 10_000 {
		yes := n.Says(true, "statement", i)
		if yes != n.Says(true, "statement", i) {
			t.Fatal("the same question has two answers")
		}
		if !n.Says(true, string(rune(i+1000)), "x") {
			wrong++
		}
		if n.Says(false, "another statement", i) {
			agreed++
		}
	}
	if n.Errs("another statement") {
		t.Fatal("choose another statement")
	}
	if math.Abs(float64(wrong)-2000) > 200 || math.Abs(float64(agreed)-2000) > 200 {
		t.Errorf("%d of 10000 statements denied, %d answers of 10000 wrong", wrong, agreed)
	}
}

func TestNoiseOfReplies(t *testing.T) {
	call := local.Call{Schema: []byte(`{}`), Messages: []local.Message{{Content: "x"}}}
	if r := (Noise{Cut: 1}).Reply(`{"a":"b"}`, call); r.Outcome != local.Cut || r.Text != `{"a"` {
		t.Errorf("%+v", r)
	}
	if r := (Noise{Format: 1}).Reply(`{"a":"b"}`, call); r.Text == `{"a":"b"}` {
		t.Errorf("%+v", r)
	}
	call.Schema = nil
	if r := (Noise{Format: 1}).Reply("plain", call); r.Text != "plain" {
		t.Errorf("%+v", r)
	}
}
