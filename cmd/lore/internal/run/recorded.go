package run

import (
	"context"
	"fmt"

	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// RecordedVerdicts names the verdicts that came with the data where a judge is named.
const RecordedVerdicts = "recorded"

// ScoreRecorded scores answers that came with the data. Without a judge the
// verdicts that came with them are used, under the name RecordedVerdicts.
func ScoreRecorded(ctx context.Context, bench datasets.Benchmark, ds *datasets.Dataset, systems []datasets.Recorded, judges []judge.Judge, seed uint64, progress Progress) (Table, error) {
	t := Table{Format: 1, Benchmark: bench.Name(), Pooling: "all values of a metric over all items; by_item averages the items' means instead",
		Interval: fmt.Sprintf("%g %% BCa bootstrap over items, %d resamples, seed %d", 100*Level, Resamples, seed)}
	if len(judges) == 0 {
		for _, s := range systems {
			t.Rows = append(t.Rows, recordedRow(bench, ds, s, RecordedVerdicts, s.Verdicts, seed))
		}
		return t, nil
	}
	for _, j := range judges {
		verdicts, err := judgeRecorded(ctx, ds, systems, j, progress)
		if err != nil {
			return t, err
		}
		for i, s := range systems {
			t.Rows = append(t.Rows, recordedRow(bench, ds, s, j.Name(), verdicts[i], seed))
		}
	}
	return t, nil
}

// judgeRecorded asks a judge about every answer of every system.
func judgeRecorded(ctx context.Context, ds *datasets.Dataset, systems []datasets.Recorded, j judge.Judge, progress Progress) ([][][]judge.Verdict, error) {
	var tasks []judge.Task
	var places [][2]int
	out := make([][][]judge.Verdict, len(systems))
	questions := 0
	for i, s := range systems {
		out[i] = make([][]judge.Verdict, len(ds.Items))
		for k, it := range ds.Items {
			task := it.Plan(s.Outputs[k])
			task.ID = s.Name + " " + it.ID()
			if s.Outputs[k].Outcome != local.OK {
				out[i][k] = unanswered(task, s.Outputs[k])
				continue
			}
			tasks = append(tasks, task)
			places = append(places, [2]int{i, k})
			questions += len(task.Questions)
		}
	}
	verdicts, err := j.Judge(ctx, tasks, progress.Start("judge by "+j.Name(), questions))
	if err != nil {
		return nil, err
	}
	for n, p := range places {
		out[p[0]][p[1]] = verdicts[n]
	}
	return out, nil
}

func recordedRow(bench datasets.Benchmark, ds *datasets.Dataset, s datasets.Recorded, judgeName string, verdicts [][]judge.Verdict, seed uint64) Row {
	row := Row{System: s.Name, Retriever: s.Retriever, Generator: s.Generator, Judge: judgeName, Items: len(ds.Items)}
	for k, it := range ds.Items {
		if s.Outputs[k].Outcome != local.OK {
			row.ItemsFailed++
		}
		row.Scores = append(row.Scores, group(it, it.Score(s.Outputs[k], verdicts[k]), bench.Metrics()))
	}
	row.Figures = figures(row.Scores, bench.Metrics(), seed)
	return row
}
