package crux

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// toPut is a dataset put together of released files.
type toPut struct {
	topics   []Topic
	passages []Passage
	texts    map[string]string // of the passages
	runFiles []string
	files    []string
	warnings []string
}

// putTogether makes topics and passages of released files below folders: requests, questions,
// passages and their grades may lie in files, folders and clones of their own. What is left out is
// counted in a warning. Nothing is asked of a model.
func putTogether(paths []string) (*toPut, error) {
	f, err := look(paths)
	if err != nil {
		return nil, err
	}
	if len(f.passages) == 0 || len(f.questions) == 0 || len(f.rows)+len(f.lists) == 0 || len(f.requests) == 0 {
		return nil, f.lacks(paths)
	}

	out := &toPut{passages: f.passages, files: f.files, texts: f.texts, runFiles: f.runs}
	if err := f.placeLists(out); err != nil {
		return nil, err
	}
	grades, err := f.graded(out)
	if err != nil {
		return nil, err
	}
	f.makeTopics(out, grades)
	if len(out.topics) == 0 {
		return nil, &datasets.InputError{
			File:   strings.Join(paths, ", "),
			Msg:    "has requests, questions, passages and grades, but no topic has all of them",
			Remedy: "give the files of one release together; " + seeDocs,
		}
	}

	slices.Sort(f.unread)
	if len(f.unread) > 0 {
		out.warn("left out, as they hold no requests, questions, passages or grades: %s", datasets.Some(f.unread))
	}
	return out, nil
}

const seeDocs = "docs/crux.md says which they are"

func (p *toPut) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// lacks says what of a dataset is there and what is not, and where near it the rest is.
func (f *found) lacks(paths []string) error {
	var there, missing []string
	for _, part := range []struct {
		name string
		n    int
	}{
		{"passages", len(f.passages)}, {"requests", len(f.requests)}, {"lists of questions", len(f.questions)},
		{"grades", len(f.rows) + len(f.lists)},
	} {
		if part.n > 0 {
			there = append(there, part.name)
		} else {
			missing = append(missing, part.name)
		}
	}
	if len(there) == 0 {
		return nothing(paths)
	}

	remedy := "passages are in DylanJoo/crux-labeling, requests, questions and grades in DylanJoo/LANCER: give both folders; " + seeDocs
	if up := completeAbove(paths); up != "" {
		remedy = "the rest is beside it: lore run crux " + files.Quoted(up)
	}
	return &datasets.InputError{
		File:   strings.Join(paths, ", "),
		Msg:    fmt.Sprintf("holds %s of CRUX, but no %s", strings.Join(there, ", "), strings.Join(missing, ", no ")),
		Remedy: remedy,
	}
}

// completeAbove is the folder above a single one that holds all of a dataset; empty for none.
func completeAbove(paths []string) string {
	if len(paths) != 1 {
		return ""
	}
	for _, up := range datasets.NearSmall(paths[0]) {
		f, err := look([]string{up})
		if err == nil && len(f.passages) > 0 && len(f.questions) > 0 && len(f.rows)+len(f.lists) > 0 && len(f.requests) > 0 {
			return up
		}
	}
	return ""
}

// nothing is the error of folders without anything of CRUX.
func nothing(paths []string) error {
	wanted := TopicsFile + " with " + PassagesFile + ", and none of the released files,"
	return datasets.NoSet(Benchmark{}.Name(), paths[0], wanted, datasets.FoldersNear(paths[0], isOwn))
}

// isOwn recognises a folder of lore's own layout.
func isOwn(has datasets.Has) bool { return has(TopicsFile) && has(PassagesFile) }

// placeLists names the passages of grades that are lists in the order of a run. ratings.oracle.bm25.json
// goes with bm25-*.run; of several that begin so, the shortest name is the retriever's own.
func (f *found) placeLists(out *toPut) error {
	for _, l := range f.lists {
		parts := strings.Split(strings.TrimSuffix(path.Base(l.name), ".json"), ".")
		retriever := parts[len(parts)-1]
		run := ""
		for _, r := range f.runs {
			base := filepath.Base(r)
			if strings.HasPrefix(base, retriever+"-") && (run == "" || len(base) < len(filepath.Base(run))) {
				run = r
			}
		}
		if run == "" {
			out.warn("%s is left out: its grades are in the order of a run %s-*.run, which is not there", l.name, retriever)
			continue
		}

		ranked, err := readRun(run)
		if err != nil {
			return err
		}
		out.files = append(out.files, run)
		for _, topic := range slices.Sorted(maps.Keys(l.rows)) {
			rows, docs := l.rows[topic], ranked[topic]
			if len(rows) != len(docs) {
				out.warn("%s: topic %s has %d rows of grades for %d passages of %s, and is left out",
					l.name, topic, len(rows), len(docs), filepath.Base(run))
				continue
			}
			for i, row := range rows {
				f.rows = append(f.rows, gradeRow{usualID(topic), usualID(docs[i]), row, l.name})
			}
		}
	}
	return nil
}

// graded are the grades by topic and passage, the first row of several. Those of passages that are
// not there are left out, and so are rows of zeros: such passages answer nothing, as distractors do.
func (f *found) graded(out *toPut) (map[string]map[string][]int, error) {
	grades := map[string]map[string][]int{}
	absent, malformed, other, all := 0, 0, 0, 0
	for _, r := range f.rows {
		row := slices.Clone(r.grades)
		for i, g := range row {
			switch {
			case g > MaxGrade:
				msg := fmt.Sprintf("topic %s grades the passage %s with %d; grades are from 0 to %d", r.topic, r.passage, g, MaxGrade)
				return nil, &datasets.InputError{File: r.file, Msg: msg, Remedy: seeDocs}
			case g < 0:
				row[i], malformed = 0, malformed+1
			}
		}

		have, taken := grades[r.topic][r.passage]
		all++
		switch _, known := f.texts[r.passage]; {
		case !known:
			absent++
		case taken && !slices.Equal(have, row):
			other++
		case !taken:
			if grades[r.topic] == nil {
				grades[r.topic] = map[string][]int{}
			}
			grades[r.topic][r.passage] = row
		}
	}

	answersNothing := func(_ string, row []int) bool { return len(row) == 0 || slices.Max(row) == 0 }
	for _, rows := range grades {
		maps.DeleteFunc(rows, answersNothing)
	}
	if absent > 0 {
		out.warn("%d of %d rows of grades are of passages that are not there, and left out", absent, all)
	}
	if malformed > 0 {
		out.warn("%d grades could not be read by whoever graded, and count 0, as in the paper", malformed)
	}
	if other > 0 {
		out.warn("%d of %d rows of grades differ from an earlier row of the same topic and passage, and are left out", other, all)
	}
	return grades, nil
}

// makeTopics puts requests, questions and grades together, in the order of the requests.
func (f *found) makeTopics(out *toPut, grades map[string]map[string][]int) {
	slices.SortStableFunc(f.requests, func(a, b ask) int {
		switch {
		case a.beside == b.beside:
			return 0
		case b.beside:
			return -1
		}
		return 1
	})
	seen := map[string]bool{}
	var without, odd []string
	for _, a := range f.requests {
		if seen[a.topic] || len(grades[a.topic]) == 0 {
			if !seen[a.topic] {
				without = append(without, a.topic)
			}
			seen[a.topic] = true
			continue
		}
		seen[a.topic] = true

		n := mostCommonLength(grades[a.topic])
		questions := f.questionsOf(a.topic, n)
		if questions == nil {
			odd = append(odd, a.topic)
			continue
		}
		rows := maps.Clone(grades[a.topic])
		maps.DeleteFunc(rows, func(_ string, row []int) bool { return len(row) != n })
		if lost := len(grades[a.topic]) - len(rows); lost > 0 {
			out.warn("topic %s: %d rows of grades are not of %d questions, and left out", a.topic, lost, n)
		}
		out.topics = append(out.topics, Topic{
			ID: a.topic, Query: a.text, Questions: questions, Summary: f.reports[a.topic], Grades: rows,
		})
	}

	if len(without) > 0 {
		out.warn("%d topics have no grades of passages that are there, and are left out: %s", len(without), datasets.Some(without))
	}
	if len(odd) > 0 {
		out.warn("%d topics have no list of as many questions as grades, and are left out: %s", len(odd), datasets.Some(odd))
	}
}

// mostCommonLength is the number of questions that most rows grade, the smallest of several.
func mostCommonLength(rows map[string][]int) int {
	counts := map[int]int{}
	for _, row := range rows {
		counts[len(row)]++
	}
	best := 0
	for _, n := range slices.Sorted(maps.Keys(counts)) {
		if counts[n] > counts[best] {
			best = n
		}
	}
	return best
}

// questionsOf are the n questions of a topic: of the files that have as many, one that calls the
// topic as the grades do goes before the study's, whose lists differ for some topics.
func (f *found) questionsOf(topic string, n int) []string {
	for _, id := range []string{topic, strings.Replace(topic, "duc04-test-", study, 1)} {
		for _, q := range f.questions {
			if list := q.lists[id]; len(list) == n {
				return list
			}
		}
	}
	return nil
}
