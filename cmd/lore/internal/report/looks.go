package report

import (
	"fmt"
	"io"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge/metric"
	"lore/local/text"
)

// Look is what two versions of a prompt come to on some items.
type Look struct {
	Edited, Baseline string
	Metric           datasets.Metric
	Known            metric.Anytime // of the differences, edited minus baseline, as shares of what can be
	Missing          int            // items that lack a value, and do not count
	Of               int            // items of the data
	Asked, Recalled  int            // calls to models: made now, and known already
}

// points words a difference of shares in the metric's unit as it is shown.
func (l Look) points(v float64) float64 { return v * (l.Metric.High - l.Metric.Low) * factor(l.Metric) }

// interval words the difference with its confidence sequence.
func (l Look) interval() string {
	if l.Known.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%+.1f [%+.1f, %+.1f]", l.points(l.Known.Mean), l.points(l.Known.Low), l.points(l.Known.High))
}

// Line is a line on one look.
func (l Look) Line(w io.Writer) {
	left := ""
	if l.Missing > 0 {
		left = fmt.Sprintf(", %d unscored and left out", l.Missing)
	}
	usage.Wrap(w, fmt.Sprintf("  %3d of %d items%s: %s %s; %s asked, %d known", l.Known.N+l.Missing, l.Of, left,
		usage.Line(l.Metric.Title), l.interval(), usage.Counted(l.Asked, "call"), l.Recalled))
}

// Verdict says in words what the last look comes to. budget: no more items may be used, though there
// are some.
func (l Look) Verdict(w io.Writer, budget bool) {
	edited, baseline := usage.Line(l.Edited), usage.Line(l.Baseline)
	better := "better"
	if l.Known.High < 0 {
		better = "worse"
	}
	items := usage.Counted(l.Known.N, "item")

	switch {
	case l.Known.N == 0:
		usage.Wrap(w, fmt.Sprintf("Nobody can tell: no item has a value of %s for both.", usage.Line(l.Metric.Title)))
	case l.Known.Clear():
		usage.Wrap(w, fmt.Sprintf("Clear: %s is %s than %s, %s on %s.", edited, better, baseline, l.interval(), items))
	case budget:
		usage.Wrap(w, fmt.Sprintf("Not clear after %s, which is as many as --watch-items allows: %s against %s, %s.",
			items, edited, baseline, l.interval()))
	default:
		usage.Wrap(w, fmt.Sprintf("Not clear with all there are, %s: %s against %s, %s.", items, edited, baseline, l.interval()))
	}
}

// Moved is an item whose value changed between two versions.
type Moved struct {
	Item, Query        string
	Baseline, Edited   float64 // values, in the metric's unit
	BaselineText, Text string  // answers
}

// WriteMoved shows an item with the first sentences in which the answers differ.
func (l Look) WriteMoved(w io.Writer, m Moved) {
	usage.Paint(w, usage.Piece{
		Text: fmt.Sprintf("  %s: %s %s → %s", usage.Line(m.Item), usage.Line(l.Metric.Title), Number(m.Baseline, l.Metric),
			Number(m.Edited, l.Metric)),
		Style: usage.Heading,
	}, usage.Piece{Text: "\n"})
	fmt.Fprintf(w, "    %s\n", shortened(m.Query))

	a, b := firstDifference(m.BaselineText, m.Text)
	width := max(len(l.Baseline), len(l.Edited))
	fmt.Fprintf(w, "    %-*s  %s\n", width, usage.Line(l.Baseline), shortened(a))
	fmt.Fprintf(w, "    %-*s  %s\n", width, usage.Line(l.Edited), shortened(b))
}

// sentenceShown is how much of a sentence is shown, in letters.
const sentenceShown = 160

func shortened(s string) string {
	return text.Beginning(usage.Line(s), sentenceShown)
}

// firstDifference are the first sentences in which two texts differ. A text that has ended is said
// to have.
func firstDifference(a, b string) (string, string) {
	const ended = "(no more)"
	x, y := text.Sentences(a), text.Sentences(b)
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return ended, y[i]
		case i >= len(y):
			return x[i], ended
		case strings.TrimSpace(x[i]) != strings.TrimSpace(y[i]):
			return x[i], y[i]
		}
	}
	return "(the same answer)", "(the same answer)"
}
