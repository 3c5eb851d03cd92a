package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"lore/cmd/lore/internal/label"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/view"
	"lore/local/files"
)

// Folders are the labelling folders of a run, or those that were named on the command line.
func (s *runSource) Folders(run string) ([]string, error) {
	if run == "" {
		if s.named {
			return s.labels, nil
		}
		return labelFoldersBelow("."), nil
	}
	return labelFoldersOf(run), nil
}

// labelFoldersBelow are those of data, which stand by themselves: of a folder, and of those in it.
func labelFoldersBelow(root string) []string {
	var out []string
	for _, pattern := range []string{label.PlanFile, "*/" + label.PlanFile, "*/*/" + label.PlanFile} {
		found, _ := fs.Glob(files.DirFS(root), pattern) // the pattern is fine
		for _, name := range found {
			dir := filepath.Join(root, filepath.FromSlash(path.Dir(name)))
			if filepath.Base(filepath.Dir(dir)) != labelsFolder && isLabelling(dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// openable says at once what saving labels would say later. A folder that another process has
// open just now will do.
func openable(dir string) error {
	desk, _, err := label.Open(dir)
	if errors.Is(err, label.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	return desk.Close()
}

// Choices are what people could label of a run.
func (s *runSource) Choices(run string) (view.Choices, error) {
	out := view.Choices{Tasks: []view.Choice{}, Judges: []string{}}
	r, err := loadRun(s.command, run)
	if err != nil {
		return out, err
	}
	shown, err := store.ReadShown(run)
	if err != nil {
		return out, err
	}
	for _, name := range label.RunTasks(r, shown) {
		task, _ := label.FindTask(name) // it is one of them
		out.Tasks = append(out.Tasks, view.Choice{Name: name, Title: task.Title, Seconds: task.Seconds})
	}
	for _, row := range r.Table.Rows {
		out.Judges = appendNew(out.Judges, row.Judge)
	}
	return out, nil
}

// Plan draws what `lore label plan` draws, and writes it where that is wanted.
func (s *runSource) Plan(run string, w view.Wish) (view.Outline, error) {
	f := planFlags{
		task: w.Task, judge: w.Judge, labels: w.Labels, minutes: w.Minutes, annotators: w.Annotators,
		adjudicator: w.Adjudicator, shared: usualShare, differences: w.Differences, evenly: w.Evenly, correlation: -1, seed: 1,
	}
	if w.Shared != nil {
		f.shared, f.sharedGiven = *w.Shared, true
	}
	d, err := f.draw(s.command, []string{run})
	if err != nil {
		return view.Outline{}, err
	}
	if w.Make {
		if err := d.write(); err != nil {
			return view.Outline{}, fmt.Errorf("write the plan: %w", err)
		}
	}
	return view.Outline{
		Labels:      d.plan.Labels,
		Of:          len(d.plan.Draws),
		Correlation: d.plan.Correlation,
		Seconds:     d.task.Seconds,
		Outlook:     d.sheet.Outlook,
		LeftOut:     d.plan.LeftOut,
		Changes:     d.changes(),
		Folder:      d.dir,
	}, nil
}
