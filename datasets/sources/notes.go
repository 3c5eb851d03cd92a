package sources

import (
	"fmt"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/stage"
)

// Log says how much was read of what there is, and what was left out: to the user, and in a build's log.
func (r *Reading) Log(s *stage.Session, w datasets.Workshop) {
	if r.Files > 0 {
		w.Note(r.Count())
	}
	for _, l := range r.LeftOut {
		s.Note("read", l.Place, 0, "left out: it %s", l.Reason)
	}
	for _, note := range r.Notes() {
		w.Warn(note)
	}

	for _, note := range r.asides() {
		s.Note("read", "", 0, "noted: %s", note) // what is left out on purpose is not thrown away
		w.Note(note)
	}
}

// Count says how many documents there are in how many files.
func (r *Reading) Count() string {
	out := fmt.Sprintf("%s of %s", counted(len(r.Documents), "document"), counted(r.Files, "file"))
	if n := len(r.LeftOut); n > 0 {
		out += fmt.Sprintf("; %d left out, below", n)
	}
	return out
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// asides are notes on what is as it should be, and good to know.
func (r *Reading) asides() []string {
	var out []string
	if len(r.Ours) > 0 {
		out = append(out, "left out: "+strings.Join(r.Ours, "; "))
	}
	if n := len(r.Hidden); n == 1 {
		out = append(out, "left out: 1 hidden file or folder, "+r.Hidden[0])
	} else if n > 1 {
		out = append(out, fmt.Sprintf("left out: %d hidden files and folders, such as %s", n, r.Hidden[0]))
	}
	if n := len(r.Copies); n > 0 {
		out = append(out, fmt.Sprintf("documents that say word for word what another says, and stay because queries may "+
			"refer to them: %s", listed(r.Copies)))
	}
	return out
}

// mostNamed is how many files a note names for one reason.
const mostNamed = 10

// listed names the first of a list, and counts the rest.
func listed(list []string) string {
	out := strings.Join(list[:min(len(list), mostNamed)], ", ")
	if n := len(list) - mostNamed; n > 0 {
		out += fmt.Sprintf(" and %d more", n)
	}
	return out
}

// Notes say what was left out: a sentence a reason, the most frequent first.
func (r *Reading) Notes() []string {
	var reasons []string
	places := map[string][]string{}
	what := map[string]string{} // was left out for a reason
	for _, l := range r.LeftOut {
		if places[l.Reason] == nil {
			reasons, what[l.Reason] = append(reasons, l.Reason), "files"
		}
		if l.Folder {
			what[l.Reason] = "folders"
		}
		places[l.Reason] = append(places[l.Reason], l.Place)
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return len(places[b]) - len(places[a]) })

	var out []string
	for _, reason := range reasons {
		list := places[reason]
		if len(list) == 1 {
			out = append(out, fmt.Sprintf("left out %s, which %s", list[0], reason))
			continue
		}
		out = append(out, fmt.Sprintf("left out %d %s, each of which %s: %s", len(list), what[reason], reason, listed(list)))
	}
	return out
}
