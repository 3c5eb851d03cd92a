package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"lore/cmd/lore/internal/usage"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/judge/lexical"
	"lore/judge/llm"
	"lore/local/prompt"
)

// Pair is several judges as one, or a calibrated one.
type Pair struct{ *together }

// together is what a Pair asks.
type together = ensemble.Judge

// SplitJudge takes A+B+C apart.
func SplitJudge(spec string) []string { return strings.Split(spec, "+") }

// CheckParts refuses a judge that is named twice in a pair: it would only count double.
func CheckParts(spec string, parts []string) error {
	for i, p := range parts {
		if slices.Contains(parts[:i], p) {
			return usage.Errorf("the judge %q is named twice in %s", p, spec)
		}
	}
	return nil
}

// DescribePair words the rule for judges that are several, or calibrated; empty for others. It is a
// setting of a run, so that a folder in which B replaced A, as in an earlier lore, is not extended.
func (how Judging) DescribePair(specs []string) string {
	several := slices.ContainsFunc(specs, func(s string) bool { return strings.Contains(s, "+") })
	if how.Calibration == nil && !several {
		return ""
	}
	rule := ensemble.Rule{Share: how.Share, Calibration: how.Calibration}
	if slices.ContainsFunc(specs, func(s string) bool { return measured(SplitJudge(s)[0]) }) {
		rule.First = lexicalCounts
	}
	text := rule.String()
	if how.Share == 0 && !how.Average && (how.Calibration == nil || how.Zoned) {
		text += fmt.Sprintf(" in %g..%g", how.Low, how.High)
	}
	return text
}

// CheckCalibration refuses a calibration of judges that are not among those named.
func (how Judging) CheckCalibration(specs []string) error {
	if how.Calibration == nil || slices.Contains(specs, how.Calibration.Spec()) {
		return nil
	}
	if len(specs) == 0 {
		return usage.Errorf("--calibration is for judges: name %s with --judge", how.Calibration.Spec())
	}
	return usage.Errorf("%s is for the judge %s, which is not among %s; name it, or calibrate with "+
		"`lore judge calibrate LABELS --judge %s -o FILE`",
		how.CalibrationFile, how.Calibration.Spec(), strings.Join(specs, ", "), specs[0])
}

// lexicalCounts is how often the lexical judge counts in an average with models that nobody has
// calibrated: with two of three parts it gains from every model that was measured with it, and no
// weak one brings it below itself (docs/judges.md).
const lexicalCounts = 2

// measured tells whether averages were measured with this judge as the first.
func measured(first string) bool { return !strings.Contains(first, ":") }

// rule is how the judges of a pair work together. Without calibration, and unless the user says
// otherwise, values are averaged: in a zone of the first judge's score where the zone was
// measured, which is for the lexical judge, else everywhere.
func (how Judging) rule(parts []ensemble.Part) (ensemble.Rule, error) {
	var r ensemble.Rule
	if c := how.Calibration; c != nil && c.Spec() == specOf(parts) {
		if err := how.checkDigests(parts); err != nil {
			return r, err
		}
		r.Calibration = c
	}

	if measured(parts[0].Name) && r.Calibration == nil {
		r.First = lexicalCounts
	}
	switch {
	case how.Share > 0:
		r.Share = how.Share
	case how.Zoned, r.Calibration == nil && !how.Average && measured(parts[0].Name):
		r.Zone = &ensemble.Zone{Low: how.Low, High: how.High}
	}
	return r, nil
}

func specOf(parts []ensemble.Part) string {
	c := ensemble.Calibration{Judges: parts}
	return c.Spec()
}

// checkDigests refuses a calibration of other weights or prompts under the same names.
func (how Judging) checkDigests(parts []ensemble.Part) error {
	for i, want := range how.Calibration.Judges {
		what := ""
		switch {
		case want.Digest != parts[i].Digest:
			what = "other weights"
		case want.Prompt != parts[i].Prompt:
			what = "other prompts, or another way to read them"
		default:
			continue
		}
		return usage.Errorf("%s was made with %s of %s; make it again with "+
			"`lore judge calibrate LABELS --judge %s -o FILE`", how.CalibrationFile, what, want.Name, specOf(parts))
	}
	return nil
}

// Join makes one judge of several by the rule for them. A single one is left as it is, unless it is
// calibrated.
func Join(opened []judge.Judge, parts []ensemble.Part, how Judging) (judge.Judge, error) {
	r, err := how.rule(parts)
	if err != nil {
		return nil, err
	}
	if len(opened) == 1 && r.Calibration == nil {
		return opened[0], nil
	}
	return &Pair{&together{Parts: opened, Rule: r, Keep: how.Keep}}, nil
}

// Judge asks the judges. A kind of question that the calibration does not know is an error of use.
func (p *Pair) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	out, err := p.together.Judge(ctx, tasks, done)
	var kind *ensemble.KindError
	if errors.As(err, &kind) {
		return nil, usage.Errorf("%v; calibrate with labels of this kind, or leave --calibration out", err)
	}
	return out, err
}

// Worded are the judges that ask models in words, of one judge or of several together.
func Worded(j judge.Judge) []*llm.Judge {
	switch one := j.(type) {
	case *llm.Judge:
		return []*llm.Judge{one}
	case *Pair:
		var out []*llm.Judge
		for _, part := range one.Parts {
			out = append(out, Worded(part)...)
		}
		return out
	}
	return nil
}

// Saved words what a pair of judges did, for judges that are one; empty for others.
func Saved(j judge.Judge) string {
	p, ok := j.(*Pair)
	if !ok {
		return ""
	}
	n := p.Count()
	others := len(p.Parts) - 1
	asked := fmt.Sprintf("%s asked the second judge %d of %d questions and saved the other %d",
		p.Name(), n.Asked, n.Questions, n.Questions-n.Asked)
	switch {
	case others == 0:
		asked = fmt.Sprintf("%s answered %d questions", p.Name(), n.Questions)
	case others > 1:
		asked = fmt.Sprintf("%s asked the judges after the first %d of %d questions and saved the other %d",
			p.Name(), n.Asked, others*n.Questions, others*n.Questions-n.Asked)
	}
	if n.Lacking > 0 {
		asked += fmt.Sprintf("; %d verdicts stand without a judge that failed, and are flagged", n.Lacking)
	}
	return asked
}

// promptKey hashes the prompts of judges that were loaded, out of the hashes of all. mode is how
// replies are read.
func promptKey(hashes map[string]string, mode string) string {
	h := sha256.New()
	_ = fs.WalkDir(llm.Prompts(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (hashes[name] != "" || llm.IsQuestion(name)) {
			fmt.Fprintf(h, "%s %s\n", name, hashes[name])
		}
		return nil
	})
	fmt.Fprintln(h, mode)
	return hex.EncodeToString(h.Sum(nil))
}

// part names a judge with what makes its verdicts: its weights and its prompts. The lexical judge
// has the data of its fit.
func (m *Model) part(how Judging, prompts *prompt.Set) ensemble.Part {
	if m == nil {
		return LexicalPart()
	}
	if m.encoder != nil {
		return ensemble.Part{Name: m.Spec, Digest: m.Digest}
	}
	return ensemble.Part{
		Name:   m.Spec,
		Digest: m.Manifest().Digest,
		Prompt: promptKey(prompts.Hashes(), how.mode()),
	}
}

// describe names the parts of a judge.
func (j Judge) describe(how Judging, prompts *prompt.Set) []ensemble.Part {
	parts := make([]ensemble.Part, len(j.parts))
	for i, m := range j.parts {
		parts[i] = m.part(how, prompts)
	}
	return parts
}

// LexicalPart is the lexical judge as calibrations and cards name it.
func LexicalPart() ensemble.Part {
	return ensemble.Part{Name: lexical.Judge{}.Name(), Digest: lexical.Digest}
}

// mode is how a model's verdicts are read, as manifests say it.
func (how Judging) mode() string {
	mode := string(how.Mode)
	if how.Batch {
		mode += ", batch"
	}
	if how.Examples != nil {
		mode += fmt.Sprintf(", %d examples of those with SHA-256 %s", llm.ExamplesN, how.Examples.SHA256)
	}
	return mode
}

// RecordedJudge is a judge whose verdicts stand in a file of labels.
type RecordedJudge struct {
	Key string
	by  map[[2]string]judge.Verdict
}

// NewRecordedJudge takes the verdicts of items by task and question.
func NewRecordedJudge(key string, items []agreement.Item, verdicts [][]judge.Verdict) *RecordedJudge {
	r := &RecordedJudge{Key: key, by: map[[2]string]judge.Verdict{}}
	for i, it := range items {
		for k, q := range it.Task.Questions {
			r.by[[2]string{it.Task.ID, q.ID}] = verdicts[i][k]
		}
	}
	return r
}

// RecordedPrefix begins the name of a judge whose verdicts stand in a file of labels.
const RecordedPrefix = "recorded:"

// Name is that of the judge in the file.
func (r *RecordedJudge) Name() string { return RecordedPrefix + r.Key }

// Judge looks the verdicts up.
func (r *RecordedJudge) Judge(_ context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	out := make([][]judge.Verdict, len(tasks))
	n := 0
	for i, t := range tasks {
		for _, q := range t.Questions {
			out[i] = append(out[i], r.by[[2]string{t.ID, q.ID}])
		}
		n += len(t.Questions)
	}
	if done != nil {
		done(n)
	}
	return out, nil
}
