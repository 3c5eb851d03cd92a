package crux

import (
	"fmt"
	"path/filepath"

	"lore/local/files"
)

// RunsFolder is where an import puts the runs that were released.
const RunsFolder = "runs"

// placeRuns reads the released runs against what was put together. Those that rank none of its
// passages are not among them; a second one of a name gets a number.
func (p *toPut) placeRuns() ([]recordedRun, error) {
	topics, taken := map[string]bool{}, map[string]int{}
	for _, t := range p.topics {
		topics[t.ID] = true
	}
	there := named{
		topic:   func(id string) bool { return topics[id] },
		passage: func(id string) bool { _, ok := p.texts[id]; return ok },
	}

	var out []recordedRun
	for _, file := range p.runFiles {
		lines, err := readRunLines(file)
		if err != nil {
			return nil, err
		}
		r := placeRun(lines, there)
		if r.there == 0 {
			continue
		}
		r.name = runName(file)
		if taken[r.name]++; taken[r.name] > 1 {
			r.name += fmt.Sprintf("-%d", taken[r.name])
		}
		out = append(out, r)
	}
	return out, nil
}

// write writes the dataset, with runs in a folder below it.
func (p *toPut) write(dir string, runs []recordedRun) error {
	below := filepath.Join(dir, RunsFolder)
	if len(runs) > 0 {
		if err := files.MkdirAll(below); err != nil {
			return fmt.Errorf("make the folder for the runs: %w", err)
		}
	}
	for _, r := range runs {
		if err := r.write(below, p.topics); err != nil {
			return err
		}
	}
	return Write(dir, p.topics, p.passages)
}

// ranked counts the passages that runs rank, and those of them that are there.
func ranked(runs []recordedRun) (there, all int) {
	for _, r := range runs {
		there, all = there+r.there, all+r.passages
	}
	return there, all
}

// afterImport are the commands that go on from an import.
func afterImport(dir string, runs []recordedRun) []string {
	out := []string{"lore run crux " + files.Quoted(dir)}
	if len(runs) > 0 {
		below := files.Quoted(filepath.Join(dir, RunsFolder))
		out = append(out, fmt.Sprintf("lore score crux %s --run %s --k ideal,10,20", files.Quoted(dir), below))
	}
	return out
}
