package run

import (
	"context"

	"lore/cmd/lore/internal/meter"
	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/judge"
)

// Recorded are answers that came with the data.
type Recorded struct {
	Bench    datasets.Benchmark
	Data     *datasets.Dataset
	Systems  []datasets.Recorded
	Language string // code of that of all texts; empty: each is told
	Seed     uint64
	Console  usage.Console
}

// Score scores them. Without a judge the verdicts that came with them are used, under the
// name models.RecordedVerdicts. It also counts the languages of the texts that judges saw.
func (r Recorded) Score(ctx context.Context, judges []judge.Judge) (table.Table, store.Languages, error) {
	var languages store.Languages
	ds, systems := r.Data, r.Systems
	t := table.New(r.Bench.Name(), r.Seed)
	if reader, ok := r.Bench.(datasets.Reader); ok {
		t.Reading = reader.Reading(true)
	}
	cells := recordedCells(ds, systems, r.Language)
	names := []string{models.RecordedVerdicts}

	if len(judges) == 0 {
		for i := range cells {
			s := systems[cells[i].system]
			cells[i].verdicts = []datasets.Verdicts{s.Verdicts[i%len(ds.Items)]}
		}
	} else {
		names = nil
		questions := gather(cells)
		for i := range cells {
			cells[i].verdicts = make([]datasets.Verdicts, len(judges))
		}
		r.plan(judges, questions.count)
		for n, j := range judges {
			names = append(names, j.Name())
			if err := questions.ask(ctx, j, n, cells, r.Console.Start(judgeBy+j.Name(), questions.count)); err != nil {
				return t, languages, err
			}
			languages.Add(models.Languages(r.Language, questions.tasks, questions.verdicts))
		}
	}

	for j, name := range names {
		for n, s := range systems {
			judged := datasets.Judged{System: s.System, Judge: name}
			row := newRow(judged, cellsOf(cells, n), j, r.Bench.Metrics(), r.Seed)
			row.Recorded = s.Name
			t.Rows = append(t.Rows, row)
		}
	}
	return t, languages, nil
}

// plan tells what the judges will be asked.
func (r Recorded) plan(judges []judge.Judge, questions int) {
	var parts []meter.Part
	for _, j := range judges {
		parts = append(parts, models.Foreseen(judgeBy+j.Name(), j.Name(), questions))
	}
	r.Console.Plan(parts)
}

// recordedCells lists every item for every recorded system, planned.
func recordedCells(ds *datasets.Dataset, systems []datasets.Recorded, language string) []cell {
	var cells []cell
	for n, s := range systems {
		for k, it := range ds.Items {
			c := cell{system: n, item: it, evidence: datasets.Evidence{Output: s.Outputs[k], Language: language}}
			c.plan(s.Name + " " + it.ID())
			cells = append(cells, c)
		}
	}
	return cells
}
