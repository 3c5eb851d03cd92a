package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"lore/cmd/lore/internal/meter"
)

// said is what a command prints that takes so many steps of so long each.
func said(t *testing.T, mode string, steps int, each time.Duration) (errs string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var stdout, stderr bytes.Buffer
		out, err, b := Printers(&stdout, &stderr)
		if mode != "" {
			if e := SetMode(err, mode); e != nil {
				t.Fatal(e)
			}
		}
		c := NewConsole(err)
		c.Plan([]meter.Part{{Name: "generate", Model: "a", Steps: steps / 2, Weight: 1}, {Name: "judge", Model: "a", Steps: steps / 2, Phase: 1, Weight: 1}})
		for _, phase := range []string{"generate", "judge"} {
			step := c.Start(phase, steps/2)
			for i := range steps / 2 {
				c.Asking()
				time.Sleep(each)
				c.Replied()
				c.Answered(true, i > 0)
				step(i + 1)
			}
		}
		fmt.Fprintln(out, "results")
		b.End()
		synctest.Wait() // nothing ticks on
		errs = stderr.String()
	})
	return errs
}

// Without a terminal what takes long is told in lines, more and more seldom, and what does not is not.
func TestLines(t *testing.T) {
	for _, mode := range []string{"", "none"} {
		if got := said(t, mode, 90, 100*time.Millisecond); got != "" {
			t.Errorf("%q: 9 s: %q", mode, got)
		}
	}
	if got := said(t, "none", 100, 10*time.Second); got != "" {
		t.Errorf("none: %q", got)
	}

	got := said(t, "", 1000, 10*time.Second) // nearly three hours
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if n := len(lines); n < 40 || n > 60 {
		t.Errorf("%d lines:\n%s", n, got)
	}
	if !strings.Contains(lines[0], " generate ") || strings.Contains(lines[0], "%") {
		t.Errorf("first %q", lines[0])
	}
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, " 100 % done in 2 h 50 min, 2 failed") {
		t.Errorf("last %q", last)
	}
	if !strings.Contains(got, " judge 0/500, 1 failed, ") {
		t.Errorf("no line at the beginning of a phase:\n%s", got)
	}
	if !regexp.MustCompile(` 5[0-5] % judge \d+/500, `).MatchString(got) { // answers are half of the time
		t.Errorf("no share as soon as the pace of all is known:\n%s", got)
	}
}

// Who asks for lines gets them from the beginning to the end.
func TestLinesOfAShortCommand(t *testing.T) {
	got := said(t, "plain", 2, 10*time.Millisecond)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], " generate 0/1") || !strings.HasSuffix(lines[1], " 100 % done in 1 s, 2 failed") {
		t.Errorf("%q", lines)
	}
}

// Every line of JSON is an object, the share of an even pace never falls once it is known, and the last one says that it is finished.
func TestJSONLines(t *testing.T) {
	got := said(t, "json", 100, 700*time.Millisecond)
	n, share := 0, 0.0
	var last Told
	for line := range strings.Lines(got) {
		last = Told{}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		early := last.Phase == "generate" || last.Phase == "judge" && last.Done < 4
		if (last.Share == nil) != early {
			t.Errorf("a share, though the pace of judging is not known, or none though it is: %s", line)
		}
		if n++; last.Share != nil {
			if *last.Share < share {
				t.Fatalf("%g before %s", share, line)
			}
			share = *last.Share
		}
	}
	if n < 40 || n > 80 || last.State != finished || share != 100 || last.Low != nil || last.Failed != 2 {
		t.Errorf("%d lines, the last %+v", n, last)
	}
}

func TestSetMode(t *testing.T) {
	var out, errs bytes.Buffer
	_, w, _ := Printers(&out, &errs)
	for mode, want := range map[string]string{
		"plan": `unknown value of --progress "plan"; did you mean plain?`,
		"bar":  "--progress bar needs a terminal",
	} {
		if err := SetMode(w, mode); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// Somebody who looks from outside hears of a command though nothing happens in it.
func TestBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		_, w, b := Printers(&out, &out)
		c := NewConsole(w)
		beats := 0
		c.Beat(func() { beats++ })
		c.Start("generate", 1)
		time.Sleep(time.Minute + time.Second)
		b.End()
		if beats < 10 || beats > 12 {
			t.Errorf("%d beats in a minute", beats)
		}
	})
}

// A part of a command has its own share, and the time left of the whole.
func TestWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		_, w, b := Printers(&out, &out)
		defer b.End()
		told := ""
		one := NewConsole(w).Watched(func(phase string, done, total int) { told += fmt.Sprint(phase, done, total, " ") })
		two := NewConsole(w).Watched(func(string, int, int) {})
		for _, c := range []Console{one, two} {
			c.Plan([]meter.Part{{Name: "generate", Model: "a", Steps: 4, Weight: 1}})
		}
		step := one.Start("generate", 4)
		for i := range 4 {
			time.Sleep(10 * time.Second)
			step(i + 1)
		}
		first, second := one.State(), two.State()
		if first.Share != 1 || second.Share != 0 || !first.Left.Known || first.Left != second.Left || first.Left.High < 40*time.Second {
			t.Errorf("%+v\n%+v", first, second)
		}
		if whole, ok := b.State(); !ok || whole.Share != 0.5 {
			t.Errorf("%+v", whole)
		}
		if told != "generate0 4 generate1 4 generate2 4 generate3 4 generate4 4 " {
			t.Errorf("%q", told)
		}
	})
}
