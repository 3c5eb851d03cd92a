package report

import (
	"fmt"
	"slices"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
)

// Run is what a report is made of: the content of a run folder.
type Run struct {
	Manifest store.Manifest
	Table    table.Table
	Answers  []store.Answer       // one per system and item
	Verdicts []store.TaskVerdicts // one per system, judge and item
	Measured []agreement.Known    // of its judges, by their cards; besides what ships with lore
}

// answerKey names an answer of a run, verdictKey what a judge said of it.
type answerKey struct {
	datasets.System
	item string
}

type verdictKey struct {
	datasets.Judged
	item string
}

// Load reads a run folder, one's own or a stranger's. It needs neither the data nor a
// model. Every file must have the hash that the manifest says, be whole, and fit the
// others: what it returns can be shown without further checks. A folder of an earlier lore
// has no hashes, which its manifest tells.
func Load(dir string) (Run, error) {
	m, err := store.ReadManifest(dir)
	if err != nil {
		return Run{}, err
	}
	if err := m.Check(dir); err != nil {
		return Run{}, err
	}
	return Read(dir)
}

// Read is Load without comparing hashes of files.
func Read(dir string) (Run, error) {
	var r Run
	var err error
	if r.Manifest, err = store.ReadManifest(dir); err != nil {
		return r, err
	}
	if err = store.ReadJSON(dir, table.File, &r.Table); err != nil {
		return r, err
	}
	if place, err := r.Table.Valid(); err != nil {
		return r, store.Damaged(dir, table.File, place, "%v", err)
	}
	if r.Table.Benchmark != r.Manifest.Benchmark {
		return r, store.Damaged(dir, table.File, "", "is of the benchmark %.60q, %s of %.60q",
			r.Table.Benchmark, store.ManifestFile, r.Manifest.Benchmark)
	}

	answers, verdicts := expected(r.Table)
	if r.Answers, err = loadAnswers(dir, answers); err != nil {
		return r, err
	}
	r.Verdicts, err = loadVerdicts(dir, verdicts, r.Answers)
	return r, err
}

// expected are the answers and verdicts that a table's values are of.
func expected(t table.Table) (answers map[answerKey]bool, verdicts map[verdictKey]bool) {
	answers, verdicts = map[answerKey]bool{}, map[verdictKey]bool{}
	for _, r := range t.Rows {
		for _, it := range r.Scores {
			answers[answerKey{r.System, it.Item}] = true
			verdicts[verdictKey{r.Judged, it.Item}] = true
		}
	}
	return answers, verdicts
}

func loadAnswers(dir string, want map[answerKey]bool) ([]store.Answer, error) {
	seen := map[answerKey]bool{}
	out, err := store.ReadChecked(dir, store.AnswersFile, func(a *store.Answer) error {
		key := answerKey{a.System, a.Item}
		if err := once(key, want, seen, a.System.String(), a.Item); err != nil {
			return err
		}
		return a.Valid()
	})
	if err == nil && len(seen) < len(want) {
		err = store.Damaged(dir, store.AnswersFile, "", "has %d answers, and %s values of %d",
			len(seen), table.File, len(want))
	}
	return out, err
}

func loadVerdicts(dir string, want map[verdictKey]bool, answers []store.Answer) ([]store.TaskVerdicts, error) {
	points := map[answerKey]int{}
	for _, a := range answers {
		if a.Points != nil {
			points[answerKey{a.System, a.Item}] = len(a.Points.List)
		}
	}

	seen := map[verdictKey]bool{}
	out, err := store.ReadChecked(dir, store.VerdictsFile, func(v *store.TaskVerdicts) error {
		key := verdictKey{v.Judged, v.Item}
		if err := once(key, want, seen, v.Judged.String(), v.Item); err != nil {
			return err
		}
		if n := points[answerKey{v.System, v.Item}]; max(len(v.Points), len(v.Held)) > n {
			return fmt.Errorf("there are %d verdicts on the %d points of the answer", max(len(v.Points), len(v.Held)), n)
		}
		return v.Valid()
	})
	if err == nil && len(seen) < len(want) {
		err = store.Damaged(dir, store.VerdictsFile, "", "has verdicts on %d answers, and %s values of %d",
			len(seen), table.File, len(want))
	}
	return out, err
}

// once refuses a record that is there twice, or that the table has no values of.
func once[K comparable](key K, want, seen map[K]bool, of, item string) error {
	switch {
	case seen[key]:
		return fmt.Errorf("%.60q and %.60q are there twice", of, item)
	case !want[key]:
		return fmt.Errorf("%s has no values of %.60q and %.60q", table.File, of, item)
	}
	seen[key] = true
	return nil
}

// Recount refuses a run whose figures do not follow from the values of its items, or these
// from the verdicts, as far as the folder alone can tell.
func (r Run) Recount(dir string, metrics []datasets.Metric) error {
	verdicts := map[verdictKey]store.TaskVerdicts{}
	for _, v := range r.Verdicts {
		verdicts[verdictKey{v.Judged, v.Item}] = v
	}

	for i, row := range r.Table.Rows {
		err := row.Recount(metrics)
		for _, it := range row.Scores {
			if err == nil {
				err = recountItem(it, verdicts[verdictKey{row.Judged, it.Item}], metrics)
			}
		}
		if err != nil {
			return store.Damaged(dir, table.File, fmt.Sprintf("row %d", i+1), "%v", err)
		}
	}
	return nil
}

// recountItem compares the values of an item with the verdicts that they are.
func recountItem(it table.ItemScores, of store.TaskVerdicts, metrics []datasets.Metric) error {
	known := map[string][]float64{}
	for i, q := range of.Questions {
		if v := of.Verdicts[i]; v.Scored() {
			known[q.ID] = []float64{v.Value, judge.Values[q.Kind][v.Label]}
		}
	}

	for _, u := range it.Values {
		i := slices.IndexFunc(metrics, func(m datasets.Metric) bool { return m.Name == u.Metric })
		if i < 0 || !metrics[i].Verdict {
			continue
		}
		if len(u.Units) != len(known) {
			return fmt.Errorf("%s of %.60q has %d values; its questions have %d verdicts",
				u.Metric, it.Item, len(u.Units), len(known))
		}
		for k, unit := range u.Units {
			if !slices.Contains(known[unit], u.Values[k]) {
				return fmt.Errorf("%s of %.60q is %g for %.60q, and the verdict another",
					u.Metric, it.Item, u.Values[k], unit)
			}
		}
	}
	return nil
}
