package ensemble

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"lore/judge"
	"lore/judge/metric"
)

// Calibration is what people's labels say of judges: their weights, and what their scores mean.
// It holds figures alone, no texts.
type Calibration struct {
	Format int                 `json:"format"`
	Judges []Part              `json:"judges"`
	N      int                 `json:"n"`           // labels
	Data   string              `json:"data_sha256"` // of the labels
	Kinds  map[judge.Kind]*Fit `json:"kinds"`
}

// CalibrationFormat is the form of the file.
const CalibrationFormat = 1

// Part is a judge that was calibrated: other weights or prompts are another judge.
type Part struct {
	Name   string `json:"name"`
	Digest string `json:"digest,omitempty"`
	Prompt string `json:"prompts_sha256,omitempty"`
}

// Fit is what holds for one kind of question.
type Fit struct {
	N       int       `json:"n"`
	Groups  int       `json:"groups"`
	Use     string    `json:"use"` // what was chosen: together, or one judge's name
	Uses    []string  `json:"reads"`
	Weights []float64 `json:"weights"`
	Map     []Point   `json:"map"`  // from the weighted sum to people's mean value; none: as it is
	Cuts    []float64 `json:"cuts"` // between the labels, on the value
	Alone   []Single  `json:"alone"`
	Gain    []Point   `json:"gain"` // expected change of the value by asking, by the first judge's score
	Pearson CVFigure  `json:"pearson"`
	Error   CVFigure  `json:"squared_error"`
	Note    string    `json:"note,omitempty"`
}

// Single is a judge by itself, for questions that the others were not asked.
type Single struct {
	Map  []Point   `json:"map"`
	Cuts []float64 `json:"cuts"`
}

// Point is a knot of a map, as [x, y].
type Point [2]float64

// CVFigure is a figure in nested cross-validation, beside that of each judge as it is. A correlation
// that is undefined is 0.
type CVFigure struct {
	Together float64   `json:"chosen"`
	Judges   []float64 `json:"judges"`
}

// What a Fit reads of a verdict, and uses.
const (
	ReadsScore = "score"
	ReadsValue = "value"
	Together   = "together"
)

// Read gives what a fit reads of a judge's verdict.
func Read(what string, v *judge.Verdict) float64 {
	if what == ReadsScore {
		return v.Score
	}
	return v.Value
}

// Parse reads a calibration, and checks that it is whole.
func Parse(data []byte) (*Calibration, error) {
	c := &Calibration{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, err
	}
	switch {
	case c.Format < 1 || c.Format > CalibrationFormat:
		return nil, fmt.Errorf("it has format %d; this lore reads %d", c.Format, CalibrationFormat)
	case len(c.Judges) == 0 || len(c.Kinds) == 0:
		return nil, errors.New("it has no judges, or no kinds of question")
	}
	for kind, f := range c.Kinds {
		if judge.Labels[kind] == nil {
			return nil, fmt.Errorf("%q is no kind of question", kind)
		}
		if err := f.check(kind, len(c.Judges)); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
	}
	return c, nil
}

// check refuses a fit that is not whole, or that would lead out of [0,1].
func (f *Fit) check(kind judge.Kind, judges int) error {
	if f == nil || len(f.Uses) != judges || len(f.Weights) != judges || len(f.Alone) != judges {
		return fmt.Errorf("it does not say everything of its %d judges", judges)
	}
	sum := 0.0
	for _, w := range f.Weights {
		if w < 0 {
			return errors.New("a weight is below 0")
		}
		sum += w
	}
	if sum <= 0 {
		return errors.New("its weights are 0")
	}
	for _, s := range append([]Single{{f.Map, f.Cuts}}, f.Alone...) {
		if len(s.Cuts) != 0 && len(s.Cuts) != len(judge.Labels[kind])-1 || !slices.IsSorted(s.Cuts) {
			return errors.New("its cuts do not ascend, or are not one fewer than the labels")
		}
		for i, p := range s.Map {
			if p[1] < 0 || p[1] > 1 || i > 0 && (p[0] <= s.Map[i-1][0] || p[1] < s.Map[i-1][1]) {
				return errors.New("a map falls, or leaves 0 to 1")
			}
		}
	}
	return nil
}

// broken is a list of numbers that the encoder has put on a line each, and space what it put between.
var (
	broken = regexp.MustCompile(`\[\s+(-?[0-9.e+-]+(?:,\s+-?[0-9.e+-]+)*)\s+\]`)
	space  = regexp.MustCompile(`\s+`)
)

// Encode is the file: readable JSON, with a point of a map on a line.
func (c *Calibration) Encode() []byte {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		panic(err) // numbers and texts always encode
	}
	data = broken.ReplaceAllFunc(data, func(list []byte) []byte { return space.ReplaceAll(list, nil) })
	return append(data, '\n')
}

// Short names a calibration by the first digits of its SHA-256.
func (c *Calibration) Short() string {
	sum := sha256.Sum256(c.Encode())
	return fmt.Sprintf("%x", sum[:4])
}

// Spec is the name of the judges that were calibrated, as --judge takes it.
func (c *Calibration) Spec() string {
	names := make([]string, len(c.Judges))
	for i, p := range c.Judges {
		names[i] = p.Name
	}
	return strings.Join(names, "+")
}

// KindError is a kind of question that a calibration knows nothing of.
type KindError struct {
	Kind  judge.Kind
	Known []judge.Kind
}

func (e *KindError) Error() string {
	return fmt.Sprintf("the calibration is for questions of %v, not of %s", e.Known, e.Kind)
}

// checkKinds refuses questions of other kinds before any is asked.
func (c *Calibration) checkKinds(tasks []judge.Task) error {
	if c == nil {
		return nil
	}
	for _, t := range tasks {
		for _, q := range t.Questions {
			if c.Kinds[q.Kind] == nil {
				return &KindError{q.Kind, slices.Sorted(maps.Keys(c.Kinds))}
			}
		}
	}
	return nil
}

// firstAlone reports whether only the first judge counts.
func (f *Fit) firstAlone() bool {
	return f.Weights[0] > 0 && !slices.ContainsFunc(f.Weights[1:], positive)
}

func positive(w float64) bool { return w > 0 }

// gain is the expected change of the value by asking.
func (f *Fit) gain(first *judge.Verdict) float64 {
	if len(f.Gain) == 0 {
		return 0
	}
	return metric.Interpolate(knots(f.Gain), Read(f.Uses[0], first))
}

// apply combines verdicts; v has all of the result but value, score and label. Where one judge of
// several is left, its own map counts.
func (f *Fit) apply(kind judge.Kind, v judge.Verdict, said []*judge.Verdict, scored []int) judge.Verdict {
	sum, weight, counted, only := 0.0, 0.0, 0, -1
	for _, i := range scored {
		if w := f.Weights[i]; w > 0 {
			sum, weight = sum+w*Read(f.Uses[i], said[i]), weight+w
			counted++
			only = i
		}
	}

	of := Single{f.Map, f.Cuts}
	switch used := len(slices.DeleteFunc(slices.Clone(f.Weights), func(w float64) bool { return w == 0 })); {
	case counted == 0: // those that count have failed, or were not asked
		only = scored[0]
		sum, weight, of = Read(f.Uses[only], said[only]), 1, f.Alone[only]
	case counted == 1 && used > 1:
		of = f.Alone[only]
	}
	if len(of.Map) == 0 && only >= 0 && counted <= 1 { // as it is
		v.Value, v.Score, v.Label = said[only].Value, said[only].Score, said[only].Label
		return v
	}

	v.Value = min(max(metric.Interpolate(knots(of.Map), sum/weight), 0), 1)
	v.Score, v.Mass = v.Value, 0
	v.Label = labelOf(kind, v.Value, of.Cuts)
	if kind == judge.Coverage && v.Unit == 0 && v.Value > 0 {
		v.Label = judge.None // a label above it names a unit, and no judge found one
	}
	return v
}

// labelOf is the label between whose cuts a value lies.
func labelOf(kind judge.Kind, value float64, cuts []float64) string {
	if len(cuts) == 0 {
		return judge.Nearest(kind, value)
	}
	at := 0
	for at < len(cuts) && value >= cuts[at] {
		at++
	}
	return judge.Labels[kind][at]
}

func knots(points []Point) []metric.Knot {
	out := make([]metric.Knot, len(points))
	for i, p := range points {
		out[i] = metric.Knot{X: p[0], Y: p[1]}
	}
	return out
}
