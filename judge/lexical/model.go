package lexical

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"lore/judge"
)

//go:embed fitted.json
var fittedJSON []byte

// Fitted is the content of fitted.json.
type Fitted struct {
	Command  string    `json:"command"`
	Data     string    `json:"data"`
	DataHash string    `json:"data_sha256"` // of all files, in order
	N        int       `json:"n"`
	Sets     []SetFit  `json:"sets"`
	CV       CVFigures `json:"summhay_cross_validated_by_subtopic"`
	Pairs    []PairFit `json:"summhay_pairs"`
	Model    Model     `json:"model"`
}

// PairFit is the Pearson of values that the judge has together with a recorded one on
// SummHay's labels. Neither its fit nor the weights saw the subtopics.
type PairFit struct {
	With       string  `json:"with"`
	Alone      float64 `json:"alone"`
	Default    float64 `json:"uncalibrated"`
	Asked      float64 `json:"asked"` // share of the questions that the other is asked uncalibrated
	Calibrated float64 `json:"calibrated"`
	Half       float64 `json:"calibrated_half_asked"`
}

// SetFit is what the judge gets on one set of labels, on rows that took no part in the fit.
type SetFit struct {
	Set     string     `json:"set"`
	Kind    judge.Kind `json:"kind"`
	N       int        `json:"n"`
	Groups  int        `json:"groups"`
	Before  float64    `json:"pearson_of_score_before"` // of the judge that this one replaced
	Nested  float64    `json:"pearson_of_score"`        // groups left out, one part of five at a time
	LeftOut float64    `json:"pearson_of_score_left_out_whole"`
	Labels  float64    `json:"pearson_of_labels"`
	Bias    float64    `json:"bias"`                  // mean label less people's mean, the set left out whole
	After   float64    `json:"bias_after_100_labels"` // mean size, after a monotone map from 100 labels

	Ungated   float64            `json:"pearson_of_score_without_gates"`
	Texts     map[string]float64 `json:"pearson_of_score_by_kind_of_text,omitempty"`
	TextsSay  map[string]float64 `json:"pearson_of_labels_by_kind_of_text,omitempty"`
	Systems   int                `json:"systems,omitempty"`
	SystemTau float64            `json:"kendall_of_systems,omitempty"`
}

// CVFigures are agreement with people on subtopics that took no part in the fit.
type CVFigures struct {
	Pearson         float64 `json:"pearson"`          // of labels as 0, 0.5, 1
	PearsonScore    float64 `json:"pearson_of_score"` // of the continuous score
	LinkingAccuracy float64 `json:"linking_accuracy"` // where both name a bullet
	LinkingN        int     `json:"linking_n"`
	LinkingAll      float64 `json:"linking_accuracy_all"` // of the best bullet, also where the label is none
	Bias            float64 `json:"bias"`                 // mean label minus mean human label
}

// Model is what the fit finds.
type Model struct {
	LinkPrecision float64                  `json:"link_precision"` // weight of precision in the choice of the unit
	Kinds         map[judge.Kind]KindModel `json:"kinds"`
	Features      []Weighted               `json:"features"`
}

// KindModel makes a score of the weighted sum of features, and a label of the score.
type KindModel struct {
	Offset     float64   `json:"offset"`     // score where every feature has its mean
	Scale      float64   `json:"scale"`      // of the weighted sum
	Thresholds []float64 `json:"thresholds"` // scores from which the next label is given, in ascending order
}

// Weighted is a feature with its weights, per standard deviation.
type Weighted struct {
	Name     string                 `json:"name"`
	What     string                 `json:"what"`
	Mean     float64                `json:"mean"`
	SD       float64                `json:"sd"`
	Weights  map[judge.Kind]float64 `json:"weights"`
	ByLength map[judge.Kind]float64 `json:"by_length,omitempty"` // added per unit of the statement's relative length
	ByText   map[judge.Kind]float64 `json:"by_text,omitempty"`   // added per unit of the text's relative length
}

// Lengths are those that weights change with.
type Lengths struct{ Statement, Text float64 }

// lengths are the relative lengths of a statement and of the text.
func (s *scratch) lengths(statement int) Lengths {
	return Lengths{relativeLength(len(s.said[statement])), relativeText(s.words)}
}

// relativeText tells how much longer than ninety words a text is. What a student's single
// sentence says is not found as what a long report says is.
func relativeText(words int) float64 {
	return max(-1.5, min(1.5, (math.Log(1+float64(words))-4.5)/1.5))
}

// relativeLength tells how much longer than nine words a statement is: the logarithm of its
// words, moved and cut. Weights of coverage change with it: a short content unit and a long
// insight are not found in the same way.
func relativeLength(words int) float64 {
	return max(-0.6, min(0.8, 0.67*(math.Log(1+float64(words))-2.3)))
}

// Current returns the fit that is compiled in.
var Current = func() Fitted {
	var f Fitted
	if err := json.Unmarshal(fittedJSON, &f); err != nil {
		panic(fmt.Sprintf("lexical: fitted.json: %v", err)) // compiled in, and tested
	}
	return f
}()

// code counts the changes of what is not in the model: features and gates. Raise it with them.
const code = 3

// Digest names the judge by what makes its verdicts: the weights and the code around them.
var Digest = func() string {
	data, err := json.Marshal(Current.Model)
	if err != nil {
		panic(fmt.Sprintf("lexical: %v", err)) // plain numbers
	}
	sum := sha256.Sum256(append(data, fmt.Sprintf(" code %d", code)...))
	return hex.EncodeToString(sum[:])
}()

// formula is the model of one kind in the form that is computed.
type formula struct {
	weight, byLength, byText, mean [features]float64
	offset                         float64
	thresholds                     []float64
}

// Prepare makes a model ready.
func (m Model) Prepare() Formulas {
	out := Formulas{}
	for kind, k := range m.Kinds {
		f := &formula{offset: k.Offset, thresholds: k.Thresholds}
		for i, w := range m.Features {
			if w.SD > 0 {
				f.weight[i] = k.Scale * w.Weights[kind] / w.SD
				f.byLength[i] = k.Scale * w.ByLength[kind] / w.SD
				f.byText[i] = k.Scale * w.ByText[kind] / w.SD
				f.mean[i] = w.Mean
			}
		}
		out[kind] = f
	}
	return out
}

// sum is the weighted sum of features for relative lengths of statement and text.
func (f *formula) sum(x []float64, length Lengths) float64 {
	sum := f.offset
	for i, v := range x {
		sum += (f.weight[i] + f.byLength[i]*length.Statement + f.byText[i]*length.Text) * (v - f.mean[i])
	}
	return sum
}

// score is the sum, bent into (0,1) so that no order is lost at the ends: 1/2 stays where it
// is, and there the slope is 1.
func (f *formula) score(x []float64, length Lengths) float64 {
	return 1 / (1 + math.Exp(4*(0.5-f.sum(x, length))))
}

// label is the place of the label that a score stands for.
func (f *formula) label(score float64) int {
	n := 0
	for _, from := range f.thresholds {
		if score >= from {
			n++
		}
	}
	return n
}
