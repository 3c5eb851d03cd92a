package usage

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"lore/cmd/lore/internal/meter"
)

// percent is a share as people read it: 100 only where nothing is left.
func percent(share float64) int { return int(100 * share) }

// lineParts are what a line says of a state: the share of the whole, the phase at hand with its
// steps, and what failed, with the time left.
func lineParts(s meter.State) (share, phase, steps, rest string) {
	if s.Planned {
		share = fmt.Sprintf("%d %%", percent(s.Share))
	}
	if s.Phase != "" {
		phase = s.Phase
		steps = fmt.Sprintf("%d/%d", s.Done, s.Total)
	}
	if s.Failed > 0 {
		rest = fmt.Sprintf(", %d failed", s.Failed)
	}
	if left := s.Left.String(); left != "" {
		rest += ", " + left
	}
	return share, phase, steps, rest
}

// stateText is a state in words.
func stateText(s meter.State) string {
	share, phase, steps, rest := lineParts(s)
	return strings.TrimPrefix(spaced(share, phase, steps)+rest, ", ")
}

func spaced(words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

const (
	leastBar = 8  // cells of a bar that is worth drawing
	mostBar  = 40 // and of the longest
	leastFor = 6  // cells of a phase's name that says something
)

// barLine is a state on one line of a terminal, with a bar where there is room for one. Where there
// is little, the name of the phase is shortened, then left out, then its steps, then what failed:
// the time left is the last to go.
func barLine(s meter.State, screen Screen) string {
	room := screen.Width - 1 // a letter in the last column moves some terminals to the next line
	share, phase, steps, rest := lineParts(s)
	text := stateText(s)

	if over := screen.Cells(text) - room; over > 0 {
		if keep := screen.Cells(phase) - over - 1; keep >= leastFor {
			first, _ := screen.First(phase, keep)
			return spaced(share, first+"…", steps) + rest
		}
		for _, less := range []string{
			spaced(share, steps) + rest,
			share + rest,
			spaced(share, strings.TrimPrefix(s.Left.String(), "about ")),
			s.Left.String(),
			share,
		} {
			if less != "" && screen.Cells(less) <= room {
				return strings.TrimPrefix(less, ", ")
			}
		}
		return ""
	}

	done := s.Share
	cells := min(mostBar, room-screen.Cells(text)-len("[] "))
	if cells < leastBar {
		return text
	}
	full := int(math.Floor(done * float64(cells)))
	bar := "[" + strings.Repeat("=", full) + strings.Repeat(" ", cells-full) + "]"
	return spaced(share, bar, strings.TrimPrefix(strings.TrimPrefix(text, share), " "))
}

// plainLine is a state on a line of a file.
func plainLine(now time.Time, s meter.State) string {
	return now.Format(time.TimeOnly) + " " + stateText(s) + "\n"
}

// doneLine ends the lines.
func doneLine(now time.Time, s meter.State, took time.Duration) string {
	failed := ""
	if s.Failed > 0 {
		failed = fmt.Sprintf(", %d failed", s.Failed)
	}
	return fmt.Sprintf("%s 100 %% done in %s%s\n", now.Format(time.TimeOnly), meter.Words(took), failed)
}

// Told is a state as programs read it: a line of --progress json.
type Told struct {
	Time   time.Time `json:"time"`
	State  string    `json:"state"` // running, finished or stopped
	Phase  string    `json:"phase"`
	Model  string    `json:"model"`
	Done   int       `json:"done"`
	Total  int       `json:"total"`
	Share  *float64  `json:"share"` // of the whole, 0 to 100; null where nobody knows the whole
	Failed int       `json:"failed"`
	Low    *float64  `json:"left_low_s"`  // null: not known
	High   *float64  `json:"left_high_s"` // null: not known, though it may be known what it takes at least
}

// The states of a command.
const (
	running  = "running"
	finished = "finished"
	stopped  = "stopped"
)

// jsonLine is a state as a line of JSON.
func jsonLine(now time.Time, s meter.State, state string) string {
	told := Told{
		Time:   now.UTC().Truncate(time.Millisecond),
		State:  state,
		Phase:  s.Phase,
		Model:  s.Model,
		Done:   s.Done,
		Total:  s.Total,
		Failed: s.Failed,
	}
	if s.Planned || state == finished {
		share := math.Round(1000*s.Share) / 10
		if state == finished {
			share = 100
		}
		told.Share = &share
	}
	if state == running {
		told.Low, told.High = Bounds(s.Left)
	}

	data, err := json.Marshal(told)
	if err != nil {
		return "" // numbers and texts: there is nothing that JSON does not know
	}
	return string(data) + "\n"
}

// Bounds are the least and the most seconds that are left, nil where they are not known.
func Bounds(l meter.Left) (low, high *float64) {
	if l.Known {
		s := math.Round(l.Low.Seconds())
		low = &s
	}
	if l.Known && !l.Least {
		s := math.Round(l.High.Seconds())
		high = &s
	}
	return low, high
}
