// Package judge defines what is asked of a judge and what it answers.
//
// A Task is one text under judgement, cut into units (the bullets of an answer,
// or one passage), with the questions asked of it. Questions of one task are
// siblings: a judge may compare them with each other.
package judge

import (
	"context"
	"math"
	"strings"

	"lore/local"
)

// Kind is a kind of question.
type Kind string

// The kinds of question.
const (
	// Coverage asks how far a text covers a statement: full, partial or none, and in
	// which unit (SummHay, section 4.1).
	Coverage Kind = "coverage"
	// Entailment asks whether a text entails a key point: yes, no or neutral; only yes
	// counts (Long²RAG, section 3).
	Entailment Kind = "entailment"
	// Answerability asks how well a text answers a question, 0 to 5 (CRUX, section 3).
	Answerability Kind = "answerability"
	// Relevance asks how much of a reference's important content a text has, 1 to 5
	// (after the rubric of G-Eval's relevance in MSRS).
	Relevance Kind = "relevance"
	// Consistency asks how far a reference supports what a text says, 1 to 5 (after
	// the rubric of G-Eval's consistency in MSRS).
	Consistency Kind = "consistency"
)

// Kinds lists all kinds.
var Kinds = []Kind{Coverage, Entailment, Answerability, Relevance, Consistency}

// Labels of Coverage and Entailment. The other kinds are labelled by their grade.
const (
	Full    = "full"
	Partial = "partial"
	None    = "none"

	Yes     = "yes"
	No      = "no"
	Neutral = "neutral"
)

// Labels lists the labels of a kind in ascending order of what they say.
var Labels = map[Kind][]string{
	Coverage:      {None, Partial, Full},
	Entailment:    {No, Neutral, Yes},
	Answerability: {"0", "1", "2", "3", "4", "5"},
	Relevance:     {"1", "2", "3", "4", "5"},
	Consistency:   {"1", "2", "3", "4", "5"},
}

// Values maps the labels of a kind to scores in [0,1].
var Values = map[Kind]map[string]float64{
	Coverage:      {Full: 1, Partial: 0.5, None: 0},
	Entailment:    {Yes: 1, Neutral: 0, No: 0},
	Answerability: {"0": 0, "1": 0.2, "2": 0.4, "3": 0.6, "4": 0.8, "5": 1},
	Relevance:     {"1": 0, "2": 0.25, "3": 0.5, "4": 0.75, "5": 1},
	Consistency:   {"1": 0, "2": 0.25, "3": 0.5, "4": 0.75, "5": 1},
}

// Nearest is the label of a kind whose value is closest; of two as close, the
// lower one.
func Nearest(kind Kind, value float64) string {
	best, label := math.Inf(1), ""
	for _, l := range Labels[kind] {
		if d := math.Abs(Values[kind][l] - value); d < best {
			best, label = d, l
		}
	}
	return label
}

// Question is one thing to find out about a task's text.
type Question struct {
	ID   string `json:"id"` // unique in its task
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // the insight, key point or sub-question
}

// referenceRule stands between the references of one question.
const referenceRule = "\n\n---\n\n"

// JoinReferences makes one question text of several reference texts.
func JoinReferences(references []string) string { return strings.Join(references, referenceRule) }

// References takes apart a question text made by JoinReferences.
func (q Question) References() []string { return strings.Split(q.Text, referenceRule) }

// Subject says what the text of a task is, in a run that judges more than answers. The
// zero value is the answer.
type Subject struct {
	Part Part
	ID   string // of a document
}

// Part is a part of what a system did that can be judged by itself.
type Part string

// The parts. A document is judged once per item and judge, however many systems were
// shown it.
const (
	TheAnswer Part = ""         // the answer
	OwnPoints Part = "points"   // what the answer says, point by point
	OwnHeld   Part = "held"     // the same points, looked for in documents
	ADocument Part = "document" // a document that was shown
	CutToSize Part = "asked"    // the answer cut to the length that was asked for
)

// Answer is the subject of questions on an answer, Points on its own points, Held on whether
// documents hold these, and AsAsked on the answer cut to the length that was asked for, where
// it is longer.
var (
	Answer  = Subject{Part: TheAnswer}
	Points  = Subject{Part: OwnPoints}
	Held    = Subject{Part: OwnHeld}
	AsAsked = Subject{Part: CutToSize}
)

// Document is the subject of questions on a document that was shown.
func Document(id string) Subject { return Subject{Part: ADocument, ID: id} }

// Task is a text with the questions asked of it.
type Task struct {
	Subject   Subject    `json:"-"`
	ID        string     `json:"id"`    // unique in a run
	About     string     `json:"about"` // the query the text answers
	Units     []string   `json:"units"` // the text in parts; a verdict names a part by its 1-based number
	Questions []Question `json:"questions"`
}

// Verdict is a judge's answer to one question: a label, or unscored with a
// reason. Unscored is a state of its own, never a value of 0.
type Verdict struct {
	Question string        `json:"question"`
	Label    string        `json:"label,omitempty"`    // one of Values[kind]; empty if unscored
	Value    float64       `json:"value"`              // score in [0,1]; meaningless if unscored
	Unit     int           `json:"unit,omitempty"`     // 1-based unit that carries the label; 0 for none
	Score    float64       `json:"score,omitempty"`    // the judge's own continuous score, where it has one
	Mass     float64       `json:"mass,omitempty"`     // probability of all labels together, if it was read from tokens
	Flags    []string      `json:"flags,omitempty"`    // what to know about the verdict, such as a low mass
	Evidence []string      `json:"evidence,omitempty"` // words that carried the verdict, where the judge has them
	Reply    string        `json:"reply,omitempty"`    // what a model said, as it came; of a batch, all of it
	Replies  []Reply       `json:"replies,omitempty"`  // of judges together, what each model of them said; Reply is empty then
	Outcome  local.Outcome `json:"outcome,omitempty"`  // why it is unscored; empty if scored
	Reason   string        `json:"reason,omitempty"`   // the same in words
}

// Reply is what one of several judges said, as it came.
type Reply struct {
	Judge string `json:"judge"` // its name
	Text  string `json:"text"`
}

// ForgedMarks begins the flag of verdicts on texts that pose as something else: as the frame
// of a conversation, as another document, or as the place where a model's two texts part.
const ForgedMarks = "forged marks in the text"

// Flags of coverage verdicts whose bullet a model did not name as it was asked to. NamedNone follows one of the first
// two, with what the reply named instead; without it nobody asked for a bullet. FirstOfBullets goes before those named.
const (
	LinkedByWords  = "linked by word overlap"
	LinkedToNone   = "linked to no bullet, as none shares a word with the statement"
	NamedNone      = ": "
	FirstOfBullets = "linked to the first of the bullets"
)

// Scored reports whether the verdict carries a label.
func (v Verdict) Scored() bool { return v.Outcome == "" }

// Unscored builds a verdict without a label.
func Unscored(question string, outcome local.Outcome, reason string) Verdict {
	return Verdict{Question: question, Outcome: outcome, Reason: reason}
}

// Judge answers tasks. It is safe for concurrent use.
type Judge interface {
	// Name identifies the judge in tables and files, with model and mode.
	Name() string
	// Judge returns one verdict per question, in the order of tasks and questions.
	// done, if not nil, is called with the number of questions answered so far.
	// The error is for a stopped run only; a failed question is an unscored verdict.
	Judge(ctx context.Context, tasks []Task, done func(questions int)) ([][]Verdict, error)
}
