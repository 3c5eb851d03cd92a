package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// headway is how far a run is that is not finished. Of one that was stopped it is how far it was.
type headway struct {
	Benchmark   string    `json:"benchmark,omitempty"`
	Items       int       `json:"items,omitempty"`
	Judges      []string  `json:"judges,omitempty"`
	Share       *float64  `json:"share"` // 0 to 100; null: not known yet
	Phase       string    `json:"phase,omitempty"`
	Done        int       `json:"done"`
	Total       int       `json:"total"`
	Calls       int       `json:"calls"`
	FailedCalls int       `json:"failed_calls"`
	LeftLow     *float64  `json:"left_low_s"` // null: not known, as with runs that were stopped
	LeftHigh    *float64  `json:"left_high_s"`
	Started     time.Time `json:"started,omitzero"`
	Updated     time.Time `json:"updated,omitzero"`
}

// workOf reads how far a run is; nil for one that is finished, or of which nothing is known.
func workOf(dir string) (store.State, *headway) {
	state, w := store.StateOf(dir)
	if state == store.Finished || w.Updated.IsZero() && len(w.Phases) == 0 {
		return state, nil
	}

	out := &headway{
		Benchmark:   w.Benchmark,
		Items:       w.Items,
		Judges:      w.Judges,
		Share:       w.Share,
		Calls:       w.Calls,
		FailedCalls: w.FailedCalls,
		Started:     w.Started,
		Updated:     w.Updated,
	}
	if state == store.Running {
		out.LeftLow, out.LeftHigh = w.LeftLow, w.LeftHigh
	}
	for _, p := range w.Phases {
		out.Phase, out.Done, out.Total = p.Name, p.Done, p.Total
		if p.Done < p.Total {
			break
		}
	}
	return state, out
}

// left words the time that is left of a run; empty where it is not known.
func (h *headway) left() string {
	return store.Mark{LeftLow: h.LeftLow, LeftHigh: h.LeftHigh}.Left().String()
}

// percent words the share that is done; empty where it is not known.
func (h *headway) percent() string {
	if h.Share == nil {
		return ""
	}
	return fmt.Sprintf("%d %%", int(*h.Share))
}

// workGrid lists the runs that go on, and those that were stopped.
func workGrid(list []listed) datasets.Grid {
	g := datasets.Grid{
		Title: "Not finished",
		Head:  []string{"run", "state", "benchmark", "done", "failed calls", "at", "left"},
		Note:  "left: of the command that makes the run, which may make others; a run that was stopped goes on by the same command",
	}
	for _, l := range list {
		if l.State == store.Finished || l.Problem != "" && l.Problem != notFinished {
			continue
		}
		g.Rows = append(g.Rows, l.workRow())
	}
	return g
}

func (l *listed) workRow() []string {
	w := l.Work
	if w == nil {
		return []string{l.Folder, string(l.State), orDash(l.Benchmark), "–", "–", "–", "–"}
	}
	at := "–"
	if w.Phase != "" {
		at = fmt.Sprintf("%s %d/%d", w.Phase, w.Done, w.Total)
	}
	return []string{l.Folder, string(l.State), orDash(w.Benchmark), orDash(w.percent()), fmt.Sprint(w.FailedCalls), at,
		orDash(strings.TrimSuffix(w.left(), " left"))}
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// watchEvery is how long a picture of runs stays as it is.
const watchEvery = time.Second

// watchRuns shows the runs that go on until none does. A terminal is drawn anew; elsewhere each
// change is a line.
func watchRuns(c *cobra.Command, f runsFlags, args []string) error {
	w := &watcher{out: c.OutOrStdout(), json: f.json, said: map[string]string{}}
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	for first := true; ; first = false {
		list, err := unfinished(args, w.said)
		if err != nil {
			return err
		}
		going := slices.ContainsFunc(list, func(l listed) bool { return l.State == store.Running })
		if first && !going {
			fmt.Fprintln(c.ErrOrStderr(), "No run goes on.")
		}
		if err := w.show(list); err != nil || !going {
			return err
		}

		select {
		case <-t.C:
		case <-c.Context().Done():
			return nil // whoever watches may look away
		}
	}
}

// unfinished are the runs that are not finished, and those that were watched until they were.
func unfinished(args []string, watched map[string]string) ([]listed, error) {
	dirs, err := findRuns(args)
	if err != nil {
		return nil, err
	}
	var out []listed
	for _, dir := range dirs {
		l := listed{Folder: dir}
		l.State, l.Work = workOf(dir)
		if _, seen := watched[dir]; seen || l.State != store.Finished {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b listed) int { return strings.Compare(a.Folder, b.Folder) })
	return out, nil
}

// watcher shows runs again and again.
type watcher struct {
	out    io.Writer
	json   bool
	rows   int               // of the picture on the terminal
	screen usage.Screen      // that it was drawn for
	said   map[string]string // of each run
}

func (w *watcher) show(list []listed) error {
	if !w.json && usage.IsTerminal(w.out) {
		w.draw(list)
		for _, l := range list {
			w.said[l.Folder] = ""
		}
		return nil
	}

	for _, l := range list {
		change := l.change()
		if w.said[l.Folder] == change {
			continue
		}
		w.said[l.Folder] = change
		if err := w.line(l); err != nil {
			return err
		}
	}
	return nil
}

// draw draws the runs in place of the last picture. On a terminal of another size nobody knows how many
// lines that has become: the screen is cleared.
func (w *watcher) draw(list []listed) {
	screen := usage.ScreenOf(w.out)
	if w.rows > 0 && screen != w.screen {
		w.rows = max(w.rows, screen.Height)
	}
	w.screen = screen
	w.rows = usage.Redraw(w.out, w.rows, func(to io.Writer) {
		g, rest := picture(list, screen)
		report.Text(to, g)
		if rest != "" {
			fmt.Fprintln(to, rest)
		}
	})
}

// change is what makes a new line of a run: another state, phase or percent.
func (l *listed) change() string {
	if l.Work == nil {
		return string(l.State)
	}
	return fmt.Sprint(l.State, l.Work.Phase, l.Work.percent(), l.Work.FailedCalls)
}

func (w *watcher) line(l listed) error {
	now := time.Now()
	if w.json {
		data, err := json.Marshal(struct {
			Time   time.Time   `json:"time"`
			Folder string      `json:"folder"`
			State  store.State `json:"state"`
			Work   *headway    `json:"progress,omitempty"`
		}{now.UTC().Truncate(time.Millisecond), l.Folder, l.State, l.Work})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w.out, string(data))
		return err
	}

	text := string(l.State)
	if at := l.Work; at != nil {
		if share := at.percent(); share != "" {
			text += ", " + share
		}
		text += fmt.Sprintf(", %s %d/%d", at.Phase, at.Done, at.Total)
		if at.FailedCalls > 0 {
			text += fmt.Sprintf(", %d failed", at.FailedCalls)
		}
		if left := at.left(); left != "" {
			text += ", " + left
		}
	}
	_, err := fmt.Fprintf(w.out, "%s %s: %s\n", now.Format(time.TimeOnly), usage.Line(l.Folder), usage.Line(text))
	return err
}
