package usage

import (
	"strings"
	"testing"
	"time"

	"lore/cmd/lore/internal/meter"
)

// judging is a state in the middle of a run.
var judging = meter.State{
	Phase: "judge by ollama:qwen3:8b", Model: "ollama:qwen3:8b", Done: 1200, Total: 4000, Share: 0.376, Planned: true, Failed: 3,
	Left: meter.Left{Known: true, Low: 125 * time.Minute, High: 135 * time.Minute},
}

// A line fits its terminal, and the time left is the last to go.
func TestBarLine(t *testing.T) {
	for width, want := range map[int]string{
		120: "37 % [===============                         ] judge by ollama:qwen3:8b 1200/4000, 3 failed, about 2 h 10 min left",
		80:  "37 % judge by ollama:qwen3:8b 1200/4000, 3 failed, about 2 h 10 min left",
		60:  "37 % judge by o… 1200/4000, 3 failed, about 2 h 10 min left",
		52:  "37 % 1200/4000, 3 failed, about 2 h 10 min left",
		40:  "37 %, 3 failed, about 2 h 10 min left",
		25:  "37 % 2 h 10 min left",
		10:  "37 %",
		3:   "",
	} {
		if got := barLine(judging, Screen{Width: width}); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
	for width := range 150 {
		for _, phase := range []string{"x", "検索 による 検索", strings.Repeat("long ", 50)} {
			s := judging
			s.Phase = phase
			if got := barLine(s, Screen{Width: width}); (Screen{Width: 80}).Cells(got) > max(0, width-1) {
				t.Errorf("%d: %q is too wide", width, got)
			}
		}
	}
}

// Where the whole is not known, no share of it is told, and where the time is not, no time.
func TestStateText(t *testing.T) {
	build := meter.State{Phase: "claims, try 1", Done: 12, Total: 40, Share: 0.3, Left: meter.Left{Known: true, Least: true, Low: 5 * time.Minute}}
	unknown := judging
	unknown.Left, unknown.Failed = meter.Left{}, 0
	for _, c := range []struct {
		state meter.State
		want  string
	}{
		{build, "claims, try 1 12/40, at least 5 min left"},
		{unknown, "37 % judge by ollama:qwen3:8b 1200/4000"},
		{meter.State{Planned: true}, "0 %"},
	} {
		if got := stateText(c.state); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestJSONLine(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 40, 5, 0, time.UTC)
	got := jsonLine(now, judging, running)
	want := `{"time":"2026-05-01T12:40:05Z","state":"running","phase":"judge by ollama:qwen3:8b","model":"ollama:qwen3:8b",` +
		`"done":1200,"total":4000,"share":37.6,"failed":3,"left_low_s":7500,"left_high_s":8100}` + "\n"
	if got != want {
		t.Errorf("%s", got)
	}
	least := judging
	least.Planned, least.Left.Least = false, true
	if got := jsonLine(now, least, running); !strings.Contains(got, `"share":null,"failed":3,"left_low_s":7500,"left_high_s":null`) {
		t.Errorf("%s", got)
	}
}
