package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
)

// manyRuns are runs of which every fourth goes on.
func manyRuns(n int) []listed {
	share := 42.0
	var list []listed
	for i := range n {
		l := listed{Folder: fmt.Sprintf("lore-runs/summhay-of-the-harbour-%02d", i), State: store.Stopped}
		if i%4 == 3 {
			l.State = store.Running
		}
		l.Work = &headway{Benchmark: "summhay", Share: &share, Phase: "judge by ollama:qwen3:8b", Done: 5, Total: 90, FailedCalls: i}
		list = append(list, l)
	}
	return list
}

// seenOf is what a screen shows of runs.
func seenOf(list []listed, s usage.Screen) string {
	var b bytes.Buffer
	g, rest := picture(list, s)
	report.Text(usage.PrinterOn(&b, s), g)
	return b.String() + rest
}

// A picture of runs fits its screen, whatever that is: no line is folded, none is below its end, and
// those that go on are seen first.
func TestPictureOfRuns(t *testing.T) {
	for width := 29; width < 140; width += 3 {
		for height := 4; height < 40; height += 5 {
			for _, n := range []int{1, 3, 24} {
				s := usage.Screen{Width: width, Height: height}
				got := seenOf(manyRuns(n), s)
				lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
				if len(lines) >= height {
					t.Errorf("%d runs on %d lines: %d", n, height, len(lines))
				}
				for _, l := range lines {
					if s.Cells(l) >= width {
						t.Errorf("%d runs on %d columns: %q", n, width, l)
					}
				}
				if strings.Contains(got, "part 1") || n == 24 && !strings.Contains(lines[1], "-03") {
					t.Errorf("%d runs on %dx%d:\n%s", n, width, height, got)
				}
			}
		}
	}
}

// What has no room is counted, and the benchmark and what failed stay on a narrow screen.
func TestNarrowPictureOfRuns(t *testing.T) {
	got := seenOf(manyRuns(24), usage.Screen{Width: 40, Height: 12})
	lines := strings.Split(got, "\n")
	if want := "run          benchmark  done     failed"; lines[0] != want {
		t.Errorf("the head is %q", lines[0])
	}
	if want := "…harbour-03  summhay    42 %          3"; lines[1] != want {
		t.Errorf("the first row is %q", lines[1])
	}
	if want := "…harbour-00  summhay    stopped       0"; lines[7] != want {
		t.Errorf("the first that was stopped is %q", lines[7])
	}
	if want := "and 15 stopped"; lines[len(lines)-1] != want {
		t.Errorf("the last line is %q", lines[len(lines)-1])
	}

	wide := seenOf(manyRuns(24), usage.Screen{Width: 200, Height: 12})
	if !strings.Contains(wide, "lore-runs/summhay-of-the-harbour-03  summhay    42 %       3  running     –  judge by ollama:qwen3:8b 5/90") {
		t.Error(wide)
	}
	if few := seenOf(manyRuns(24), usage.Screen{Width: 100, Height: 5}); !strings.Contains(few, "and 4 running, 18 stopped") {
		t.Error(few)
	}
}
