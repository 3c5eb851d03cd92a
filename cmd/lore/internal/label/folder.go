package label

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"lore/local/files"
)

// Files of a labelling folder.
const (
	ItemsFile  = "items.json"
	PlanFile   = "plan.json"
	LabelsFile = "labels.jsonl"
)

// Folder is a labelling folder as it was read.
type Folder struct {
	Dir    string
	Sheet  *Sheet
	Plan   *Plan
	Labels []Label // in the order in which they were saved
	items  map[string]Item
}

// anew is the remedy for a folder that is not whole.
const anew = "make the folder again with lore label plan; labels.jsonl stays as it is"

// Write writes items and plan into a folder; labels stay.
func Write(dir string, s *Sheet, p *Plan) error {
	if err := files.MkdirAll(dir); err != nil {
		return fmt.Errorf("make the labelling folder: %w; choose another with --out", err)
	}
	// Items last: whoever finds them finds the plan that belongs to them.
	for _, f := range []struct {
		name  string
		value any
	}{{PlanFile, p}, {ItemsFile, s}} {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(f.value); err != nil {
			return fmt.Errorf("encode %s: %w", f.name, err)
		}
		if err := files.WriteFile(filepath.Join(dir, f.name), buf.Bytes()); err != nil {
			return fmt.Errorf("write %s: %w", filepath.Join(dir, f.name), err)
		}
	}
	return nil
}

// Read reads a labelling folder. Warnings say what was left out of its labels.
func Read(dir string) (*Folder, []string, error) {
	f := &Folder{Dir: dir, Sheet: &Sheet{}, Plan: &Plan{}, items: map[string]Item{}}
	for _, file := range []struct {
		name string
		into any
	}{{PlanFile, f.Plan}, {ItemsFile, f.Sheet}} {
		path := filepath.Join(dir, file.name)
		data, err := files.Bytes(path, anew)
		if err != nil {
			return nil, nil, err
		}
		if err := json.Unmarshal(data, file.into); err != nil {
			return nil, nil, &files.Error{File: path, Msg: "is damaged: " + err.Error(), Remedy: anew, Err: err}
		}
	}
	if err := f.valid(); err != nil {
		return nil, nil, &files.Error{File: filepath.Join(dir, PlanFile), Msg: err.Error(), Remedy: anew, Err: err}
	}

	data, err := labelBytes(dir)
	if err != nil {
		return nil, nil, err
	}
	var warnings []string
	f.Labels, _, warnings, err = f.parse(filepath.Join(dir, LabelsFile), data)
	return f, warnings, err
}

func labelBytes(dir string) ([]byte, error) {
	data, err := files.Bytes(filepath.Join(dir, LabelsFile), anew)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// valid refuses items and a plan that do not belong together, and a plan whose places lead
// nowhere: the folder may come from anybody.
func (f *Folder) valid() error {
	s, p := f.Sheet, f.Plan
	switch {
	case s.Format != format || p.Format != format:
		return fmt.Errorf("has format %d; this lore reads %d", max(s.Format, p.Format), format)
	case s.Plan != p.ID || s.Task.Name != p.Task:
		return fmt.Errorf("does not belong to %s beside it", ItemsFile)
	case p.Labels != len(s.Items) || p.Labels > len(p.Draws):
		return fmt.Errorf("plans %d of %d items, and there are %d", p.Labels, len(p.Draws), len(s.Items))
	}
	task, ok := FindTask(p.Task)
	if !ok {
		return fmt.Errorf("is of the unknown task %.40q", p.Task)
	}
	planned := map[string]bool{}
	for _, d := range p.Draws[:p.Labels] {
		planned[d.Item] = true
	}
	for _, it := range s.Items {
		switch {
		case !planned[it.ID] || f.items[it.ID].ID != "":
			return fmt.Errorf("does not plan the item %.40q, or has it twice", it.ID)
		case len(it.Texts) < texts(task):
			return fmt.Errorf("the item %s shows %d texts, and its task has %d", it.ID, len(it.Texts), texts(task))
		}
		for _, t := range it.Texts {
			if _, ok := s.Texts[t.Text]; !ok {
				return fmt.Errorf("the item %s shows a text that is not there", it.ID)
			}
		}
		f.items[it.ID] = it
	}
	for _, d := range p.Draws {
		bad := func(c Cell) bool { return c.Target < 0 || c.Target >= len(p.Targets) }
		if d.Stratum < 0 || d.Stratum >= len(p.Strata) || slices.ContainsFunc(d.Cells, bad) {
			return fmt.Errorf("the item %s is of a stratum or target that is not there", d.Item)
		}
	}
	return nil
}

// texts is how many texts an item of a task has at least.
func texts(t Task) int {
	switch t.Name {
	case Subtopic:
		return 0
	case Preference:
		return 2
	}
	return 1
}

// parse reads lines of labels. good is how many bytes hold whole lines: a last line that is
// torn, as a crash leaves it, was never shown as saved.
func (f *Folder) parse(name string, data []byte) (labels []Label, good int, warnings []string, err error) {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		whole := bytes.HasSuffix(line, []byte("\n"))
		text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		if len(text) == 0 {
			good += len(line)
			continue
		}

		var l Label
		err := json.Unmarshal(text, &l)
		if err != nil && !whole {
			return labels, good, []string{fmt.Sprintf("%s: the last line is torn, and left out: it was never shown as saved", name)}, nil
		}
		if err == nil {
			err = f.Check(l)
		}
		if err != nil {
			return nil, 0, nil, &files.Error{
				File: name, Place: fmt.Sprintf("line %d", n), Msg: err.Error(), Err: err,
				Remedy: "mend the line or take it out; the others are not read before",
			}
		}
		labels = append(labels, l)
		good += len(line)
	}
	return labels, good, nil, nil
}

// ParseLabels reads labels from elsewhere, such as what the single file saved. Those of the task
// on other texts, such as of another plan, are left out and counted: an item is named by what it
// shows, so that a label counts wherever the same is asked.
func (f *Folder) ParseLabels(name string, data []byte) (labels []Label, others int, warnings []string, err error) {
	var own bytes.Buffer
	for line := range bytes.Lines(data) {
		var l Label
		if json.Unmarshal(line, &l) == nil && l.Task == f.Plan.Task && l.Item != "" && f.items[l.Item].ID == "" {
			others++
			own.WriteString("\n") // lines keep their numbers
			continue
		}
		own.Write(line)
	}
	labels, _, warnings, err = f.parse(name, own.Bytes())
	return labels, others, warnings, err
}

// longestDay bounds the seconds of a label.
const longestDay = 24 * 3600

// Check says why a label cannot be one of the folder's.
func (f *Folder) Check(l Label) error {
	it, known := f.items[l.Item]
	switch {
	case l.Task != f.Plan.Task:
		return fmt.Errorf("is of the task %q; this folder is for %s", l.Task, f.Plan.Task)
	case !known:
		return fmt.Errorf("labels %q, which is no item of this plan", l.Item)
	case l.Undo != (l.Answer == nil):
		return errors.New("needs an answer, or undo, and not both")
	case !(l.Seconds >= 0 && l.Seconds <= longestDay):
		return fmt.Errorf("took %g seconds", l.Seconds)
	case l.At.IsZero():
		return errors.New("has no time")
	case l.Adjudicated && l.Annotator != f.Plan.Adjudicator:
		return fmt.Errorf("is adjudicated by %q, and the plan names %q", l.Annotator, f.Plan.Adjudicator)
	}
	if err := checkName(l.Annotator); err != nil {
		return err
	}
	if _, ok := f.Sheet.OrderOf(l.Annotator); !ok {
		return fmt.Errorf("is by %q; the plan names %v", l.Annotator, annotators(f.Sheet))
	}
	if l.Undo {
		return nil
	}
	return f.Sheet.Check(it, *l.Answer)
}

func annotators(s *Sheet) []string {
	var out []string
	for _, a := range s.Annotators {
		out = append(out, a.Name)
	}
	return out
}
