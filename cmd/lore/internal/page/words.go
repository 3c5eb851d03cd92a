package page

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/local"
)

// title is that of a page that nobody gave one.
func (b *builder) title() string {
	var data []string
	for _, s := range b.sources {
		for _, f := range s.Run.Manifest.Data {
			if f = dataName(f); f != "" && !slices.Contains(data, f) {
				data = append(data, f)
			}
		}
	}
	if len(data) > 2 {
		data = append(data[:2], fmt.Sprintf("%d more", len(data)-2))
	}
	if len(data) == 0 {
		return b.bench.Name()
	}
	return b.bench.Name() + ": " + strings.Join(data, ", ")
}

// dataName names a file of data by what tells it from others. Those that are called the same
// in all folders of a benchmark say it by their folder.
func dataName(path string) string {
	path, sample := strings.CutPrefix(filepath.ToSlash(path), "sample:")
	name := path[strings.LastIndex(path, "/")+1:]
	short := strings.TrimSuffix(name, filepath.Ext(name))
	folder := filepath.Base(filepath.Dir(path))
	switch {
	case name == "documents" || short == "passages":
		return "" // the questions beside them say more
	case short == "topics" && folder != ".":
		return folder
	case strings.HasPrefix(short, "queries_") && folder != ".":
		return folder + ", " + strings.TrimPrefix(short, "queries_")
	}
	if sample {
		return "the sample " + short
	}
	return name
}

// compared says in a sentence what was compared.
func (b *builder) compared() string {
	text := fmt.Sprintf("%s on %s, judged by %s", usage.Counted(len(b.head.Systems), "system"),
		b.questionsAsked(), strings.Join(b.head.Judges, ", "))
	if len(b.sources) > 1 {
		text += fmt.Sprintf(", in %d runs", len(b.sources))
	}
	return text
}

// questionsAsked counts the questions, and says where a limit left others out.
func (b *builder) questionsAsked() string {
	all, limited := 0, false
	for _, g := range b.groups {
		most := g.all
		for _, n := range g.runs {
			most = max(most, b.sources[n].Run.Manifest.ItemsOf)
		}
		limited = limited || most == g.all && !slices.ContainsFunc(g.runs, b.whole)
		all += most
	}

	text := usage.Counted(len(b.head.Items), "question")
	switch {
	case all > len(b.head.Items) && b.chosen() != "":
		return fmt.Sprintf("%d of %d questions (%s)", len(b.head.Items), all, b.chosen())
	case all > len(b.head.Items):
		return fmt.Sprintf("%d of %d questions (a limit left out the rest)", len(b.head.Items), all)
	case limited:
		return text + " (as many as a limit allowed)"
	}
	return text
}

// chosen says how the questions were chosen, where all runs have it alike; empty else.
func (b *builder) chosen() string {
	how := b.sources[0].Run.Manifest.Chosen
	for _, s := range b.sources {
		if s.Run.Manifest.Chosen != how {
			return ""
		}
	}
	return how
}

// whole reports whether no limit left out questions of a run. An earlier lore kept the limit,
// and not of how many.
func (b *builder) whole(run int) bool {
	m := b.sources[run].Run.Manifest
	return m.ItemsOf == 0 && fmt.Sprint(m.Settings["limit"]) != fmt.Sprint(m.Items)
}

// systemParts are settings that the systems of a page show by themselves.
var systemParts = []string{"retrievers", "generators", "answers", "systems"}

// differ lists the settings that are not the same in all runs, with their values.
func (b *builder) differ() []string {
	out := []string{}
	if len(b.sources) < 2 {
		return out
	}
	keys := map[string]bool{}
	settings := make([]map[string]string, len(b.sources))
	for n, s := range b.sources {
		settings[n] = maps.Clone(s.Settings)
		if settings[n] != nil {
			settings[n]["data"] = dataNames(s.Run.Manifest)
		}
		for k := range settings[n] {
			keys[k] = true
		}
	}

	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var values []string
		runs := map[string][]int{}
		for n := range b.sources {
			v := settings[n][key]
			if v == "" {
				v = "not set"
			}
			if runs[v] == nil {
				values = append(values, v)
			}
			runs[v] = append(runs[v], n)
		}
		if len(values) < 2 || slices.Contains(systemParts, key) {
			continue
		}
		for i, v := range values {
			values[i] = fmt.Sprintf("%s (%s)", plain(v), b.runNames(runs[v]))
		}
		out = append(out, plain(key)+": "+strings.Join(values, ", "))
	}
	return out
}

// dataNames names the data of a run without its place, and with the first digits of its hash.
func dataNames(m store.Manifest) string {
	var names []string
	for _, f := range m.Data {
		if f = dataName(f); f != "" {
			names = append(names, f)
		}
	}
	return fmt.Sprintf("%s %s", strings.Join(names, ", "), clipped(m.DataHash))
}

// heed says what bears on the answer in short, and is not in its figures.
func (b *builder) heed() []string {
	said := map[string][]int{}
	var order []string
	for n, s := range b.sources {
		for _, note := range report.Heed(s.Run.Manifest) {
			note = plain(note)
			if said[note] == nil {
				order = append(order, note)
			}
			said[note] = append(said[note], n)
		}
	}

	out := []string{}
	for _, note := range order {
		if len(said[note]) < len(b.sources) {
			note = b.runNames(said[note]) + ": " + note
		}
		out = append(out, note)
	}
	return out
}

// tally counts what is missing, by system.
type tally struct{ missing, all []int }

func newTally(systems int) tally { return tally{make([]int, systems), make([]int, systems)} }

func (t tally) add(system int, missing bool) {
	t.all[system]++
	if missing {
		t.missing[system]++
	}
}

// lost says how much is missing of how much: of all, and of each system that misses any.
func (b *builder) lost() []string {
	n := len(b.head.Systems)
	answers, points, verdicts := newTally(n), newTally(n), newTally(n)
	for run, s := range b.sources {
		for _, a := range s.Run.Answers {
			system, ok := b.systems[systemKey{run, a.System}]
			if !ok {
				continue // a folder that somebody has edited
			}
			answers.add(system, a.Failed())
			if a.Points != nil {
				points.add(system, a.Points.Outcome != local.OK)
			}
		}

		// Verdicts on answers that failed are not missing once more.
		for _, t := range s.Run.Verdicts {
			system, ok := b.systems[systemKey{run, t.System}]
			for _, v := range slices.Concat(t.Verdicts, t.Points, t.Held) {
				if ok && !strings.HasPrefix(v.Reason, "the answer failed: ") {
					verdicts.add(system, !v.Scored())
				}
			}
		}
	}

	out := []string{}
	for _, of := range []struct {
		tally
		what string
	}{{answers, "answers"}, {points, "answers taken apart"}, {verdicts, "verdicts"}} {
		if said := b.missing(of.tally, of.what); said != "" {
			out = append(out, said)
		}
	}
	return out
}

// missing words a tally, the largest share first; empty where nothing is missing.
func (b *builder) missing(t tally, what string) string {
	var systems []int
	missing, all := 0, 0
	for i := range t.all {
		missing, all = missing+t.missing[i], all+t.all[i]
		if t.missing[i] > 0 {
			systems = append(systems, i)
		}
	}
	if missing == 0 {
		return ""
	}

	slices.SortStableFunc(systems, func(x, y int) int { return t.missing[y]*t.all[x] - t.missing[x]*t.all[y] })
	var parts []string
	for _, s := range systems {
		parts = append(parts, fmt.Sprintf("%d of %d of %s", t.missing[s], t.all[s], b.head.Systems[s].Name))
	}
	return fmt.Sprintf("%d of %d %s are missing: %s.", missing, all, what, listed(parts, "and"))
}
