package crux

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// check refuses labels that cannot be those of the reports: lists that are shorter or longer than the questions,
// and a folder that has labels alone while their reports lie above it.
func (p *people) check(dir string) error {
	for _, r := range p.raters {
		for _, report := range p.reports {
			labels, ok := r.reports[report.id]
			if !ok || len(labels) == len(report.questions) {
				continue
			}
			at := r.reportAt[report.id]
			return &datasets.InputError{File: at.file, Place: at.line,
				Msg:    fmt.Sprintf("has %d labels for the report %s of %d questions", len(labels), report.id, len(report.questions)),
				Remedy: fmt.Sprintf("give one label per question, in the order of the report; %d is not asked", asNobody)}
		}
	}

	if len(p.reports) > 0 {
		return nil
	}
	for _, up := range datasets.NearSmall(dir) {
		if p.reportsBelow(up) {
			return &datasets.InputError{File: dir, Msg: "holds people's labels and none of the reports that they are of",
				Remedy: "the reports are in the folder above: --human " + files.Quoted(up)}
		}
	}
	return nil
}

// reportsBelow reports whether a folder has reports that somebody labelled.
func (p *people) reportsBelow(dir string) bool {
	names, err := files.Below(dir)
	if err != nil {
		return false
	}
	topics := map[string]bool{}
	for _, r := range p.raters {
		for id := range r.reports {
			topics[id] = true
		}
		for label := range r.passages {
			topics[label.topic] = true
		}
	}
	for _, n := range names {
		if !strings.HasSuffix(n, ".jsonl") {
			continue
		}
		lines, err := readReports(filepath.Join(dir, filepath.FromSlash(n)))
		if err == nil && slices.ContainsFunc(lines, func(l reportLine) bool { return topics[l.QID] && l.Response != "" }) {
			return true
		}
	}
	return false
}

// doubts are labels of what is not there, a warning for each kind and file: the first is named with its line.
func (s agreement) doubts() []string {
	var out doubts
	for _, r := range s.raters {
		for _, id := range s.bare {
			if at, ok := r.reportAt[id]; ok {
				out.add(at, "report", fmt.Sprintf("labels the report %s, whose text is not there", id))
			}
		}
		for _, label := range r.inOrder() {
			at := r.passageAt[label]
			it, list := s.items[usualID(label.topic)], s.listOf(usualID(label.topic))
			switch {
			case it == nil:
				out.add(at, "topic", fmt.Sprintf("labels the topic %s, which the data has not", label.topic))
			case list == nil:
				out.add(at, "list", fmt.Sprintf("labels questions of the topic %s, and no report with their list is there", label.topic))
			case label.question >= len(list):
				out.add(at, "question", fmt.Sprintf("labels question %d of the topic %s, whose list ends with question %d",
					label.question, label.topic, len(list)-1))
			case !it.set.corpus.Has(usualID(label.passage)):
				out.add(at, "passage", fmt.Sprintf("labels the passage %s, which the data has not", label.passage))
			}
		}
	}
	return out.warnings()
}

// doubts count labels of what is not there, by file and kind, in the order in which they were found.
type doubts struct {
	kinds []string
	first map[string]string
	lines map[string][]string
}

func (d *doubts) add(at place, kind, said string) {
	key := at.file + "\x00" + kind
	if d.first == nil {
		d.first, d.lines = map[string]string{}, map[string][]string{}
	}
	if d.first[key] == "" {
		d.kinds, d.first[key] = append(d.kinds, key), fmt.Sprintf("%s: %s: %s", at.file, at.line, said)
	}
	if !slices.Contains(d.lines[key], at.line) {
		d.lines[key] = append(d.lines[key], at.line)
	}
}

func (d *doubts) warnings() []string {
	var out []string
	for _, key := range d.kinds {
		said := d.first[key]
		if more := d.lines[key][1:]; len(more) > 0 {
			said += "; the same kind of mistake: " + datasets.Some(more)
		}
		out = append(out, said+"; such labels are left out")
	}
	return out
}
