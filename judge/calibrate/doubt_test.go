package calibrate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"lore/judge"
)

// A judge that says the opposite, one that says anything, and too few labels are doubted; a good one is not.
func TestDoubt(t *testing.T) {
	items, verdicts := labels(200, 0.2)
	if why := Doubt(Calibrate(parts("a"), items, verdicts).Kinds[judge.Coverage]); why != "" {
		t.Errorf("a good judge: %s", why)
	}

	few, said := labels(20, 0.2)
	if why := Doubt(Calibrate(parts("a"), few, said).Kinds[judge.Coverage]); why != "nothing was learnt" {
		t.Errorf("20 labels: %q", why)
	}

	rng := rand.New(rand.NewPCG(1, 2))
	_, chance := labels(200, 0.2)
	rng.Shuffle(200, func(i, k int) { chance[0][i], chance[0][k] = chance[0][k], chance[0][i] })
	if why := Doubt(Calibrate(parts("a"), items, chance).Kinds[judge.Coverage]); !strings.Contains(why, "chance") {
		t.Errorf("anything: %q", why)
	}

	for i := range verdicts[0] {
		v := &verdicts[0][i][0]
		v.Value, v.Score = 1-v.Value, 1-v.Score
	}
	if why := Doubt(Calibrate(parts("a"), items, verdicts).Kinds[judge.Coverage]); !strings.Contains(why, "the opposite") {
		t.Errorf("the opposite: %q", why)
	}
}
