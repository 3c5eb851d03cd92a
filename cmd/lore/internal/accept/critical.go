package accept

import (
	"fmt"
	"slices"

	"lore/cmd/lore/internal/usage"
	"lore/local/files"
	"lore/local/text"
)

// criticalRemedy says what a file of critical items looks like.
const criticalRemedy = "give a file with the id of an item on each line; # begins a comment"

// ReadCritical reads a list of critical items, which run and baseline must both have.
func ReadCritical(path string, run, baseline Subject) ([]string, error) {
	data, err := files.Read(path, criticalRemedy)
	if err != nil {
		return nil, err
	}

	mine, before := run.byID(), baseline.byID()
	var known, out []string
	for _, it := range run.Items {
		known = append(known, it.ID)
	}
	err = files.EachLine(data, func(place string, line []byte) error {
		id := string(line)
		_, here := mine[id]
		_, there := before[id]
		wrong := ""
		switch {
		case id[0] == '#' && !here:
			return nil
		case !here:
			wrong = fmt.Sprintf("the run %s has no item %q%s", run.From, id, text.DidYouMean(id, known))
		case !there:
			wrong = fmt.Sprintf("the baseline %s has no item %q: nothing can be compared", baseline.From, id)
		case slices.Contains(out, id):
			wrong = fmt.Sprintf("the item %q is there twice", id)
		default:
			out = append(out, id)
			return nil
		}
		return &files.Error{File: path, Place: place, Msg: wrong, Remedy: criticalRemedy}
	})
	if err == nil && len(out) == 0 {
		err = &files.Error{File: path, Msg: "lists no items", Remedy: criticalRemedy}
	}
	return out, err
}

// best and least are the numbers of the best label of a kind of question, such as full or yes,
// and of the worst.
const best, least = 1, 0

// guard looks for verdicts on critical items that fell from the best label to the worst. There
// is nothing to test: on these items none may.
func guard(critical []string, run, baseline Subject) Finding {
	f := Finding{Rule: "critical items: none falls from full to none", Kind: Critical, Outcome: Pass, Asks: run.Asks}
	if f.Asks == "" {
		f.Asks = "unit"
	}
	mine, before := run.byID(), baseline.byID()
	full := 0
	for _, id := range critical {
		was, is := before[id].Grades, mine[id].Grades
		if was == nil {
			continue
		}
		for i, unit := range was.Units {
			if was.Values[i] != best {
				continue
			}
			full++
			switch k := indexIn(is, unit); {
			case k >= 0 && is.Values[k] == least:
				now := mine[id]
				f.Falls = append(f.Falls, Fall{id, text.Beginning(now.Title, mostShown), unit, text.Beginning(now.Texts[unit], mostShown)})
			case k < 0:
				f.Missing++
			}
		}
	}

	f.N = full
	of := fmt.Sprintf("of %s that the baseline has in full on %s", usage.Counted(full, f.Asks),
		usage.Counted(len(critical), "critical item"))
	switch {
	case len(f.Falls) > 0:
		f.Outcome, f.Why = Broken, fmt.Sprintf("%d %s fell to none: %s", len(f.Falls), of, f.Falls[0].words(f.Asks))
		if more := len(f.Falls) - 1; more > 0 {
			f.Why += fmt.Sprintf(", and %d more", more)
		}
	case f.Missing > 0:
		f.Outcome, f.Why = CannotTell, fmt.Sprintf("%d %s have no verdict in the run", f.Missing, of)
	case full == 0:
		f.Outcome, f.Why = CannotTell, fmt.Sprintf("none %s: there is nothing to guard", of)
	default:
		f.Why = "none " + of + " fell to none"
	}
	return f
}

// words name a fall: the unit with its text, and the item with its title.
func (f Fall) words(asks string) string {
	unit, item := asks+" "+f.Unit, f.Item
	if f.Text != "" {
		unit += fmt.Sprintf(" (%s)", f.Text)
	}
	if f.Title != "" {
		item += fmt.Sprintf(" (%s)", f.Title)
	}
	return unit + " of item " + item
}

// mostShown is how many letters of a text stand in a message.
const mostShown = 60

func indexIn(v *Values, unit string) int {
	if v == nil {
		return -1
	}
	return slices.Index(v.Units, unit)
}
