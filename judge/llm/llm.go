// Package llm judges with a language model that runs on this machine.
//
// There are two modes, and the mode never changes silently. In schema mode the
// model writes a JSON object that names a label. In logprob mode it writes one
// digit, and the verdict is the mean grade under the probabilities of the digits
// (G-Eval; Liu et al., 2023), with the probability mass they cover kept beside it.
package llm

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"lore/judge"
	"lore/judge/lexical"
	"lore/local"
	"lore/local/guard"
	"lore/local/prompt"
)

//go:embed prompts
var promptFiles embed.FS

// Prompts returns the built-in prompts.
func Prompts() fs.FS { return prompt.Embedded(promptFiles) }

// Caller runs calls through the door; gate.Gate is one.
type Caller interface {
	All(ctx context.Context, calls []local.Call, done func(i int, reply local.Reply)) error
}

// Mode is how a verdict is read.
type Mode string

// The modes.
const (
	Schema  Mode = "schema"
	Logprob Mode = "logprob"
)

// Config says which model judges and how it is called.
type Config struct {
	Backend  string // Call.Backend
	Model    string
	Digest   string
	Label    string        // name in tables; backend and model if empty
	Options  local.Options // NumPredict is set by the judge
	Mode     Mode          // "" is Schema
	Batch    bool          // all questions of a task in one call, of kinds that are Batchable; schema mode only
	MinMass  float64       // logprob mode: mass below which a verdict is flagged
	Samples  int           // logprob mode: verdicts to sample and average where the mass is low; 0 keeps the flagged one
	Examples *Examples     // shown before questions of coverage; nil: none
	// Fit, if not nil, is given all calls of a Judge before they run and may set
	// load options such as num_ctx, the same for all.
	Fit func(calls []local.Call)
}

// Caps on the length of a reply, in tokens.
const (
	VerdictTokens = 64 // one JSON verdict
	digitTokens   = 4  // a digit, perhaps after white space
	batchTokens   = 48 // per verdict of a batch
)

// Judge is a model as a judge.
type Judge struct {
	cfg     Config
	calls   Caller
	prompts map[judge.Kind]*prompt.Prompt
	forms   map[judge.Kind]*replyForm // of prompts that say how they are replied to

	examples *prompt.Prompt // nil: there are none
}

// New loads the prompts and builds the judge.
func New(cfg Config, calls Caller, prompts *prompt.Set) (*Judge, error) {
	if cfg.Mode == "" {
		cfg.Mode = Schema
	}
	if cfg.Mode != Schema && cfg.Mode != Logprob {
		return nil, fmt.Errorf("unknown judge mode %q; there are %s and %s", cfg.Mode, Schema, Logprob)
	}
	if cfg.Batch && cfg.Mode != Schema {
		return nil, fmt.Errorf("a batch needs the mode %s", Schema)
	}

	if cfg.Batch && cfg.Examples != nil {
		return nil, errors.New("examples are of one question a call; leave --batch or --judge-examples out")
	}

	j := &Judge{cfg: cfg, calls: calls, prompts: map[judge.Kind]*prompt.Prompt{}, forms: map[judge.Kind]*replyForm{}}
	for _, kind := range judge.Kinds {
		if err := j.load(kind, prompts); err != nil {
			return nil, err
		}
	}
	if cfg.Examples != nil {
		var err error
		if j.examples, err = prompts.Load(examplesPrompt); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// load loads the prompt of a kind of questions.
func (j *Judge) load(kind judge.Kind, prompts *prompt.Set) (err error) {
	name := PromptOf(kind)
	p, err := prompts.Load(name)
	if err != nil {
		return err
	}
	j.prompts[kind] = p
	if p.Reply() == nil {
		return nil
	}
	if j.cfg.Mode == Logprob {
		return &prompt.Error{Name: name, Line: p.Reply().Line, Msg: "has a header, which says how it is replied to; verdicts by token " +
			"probabilities are digits: take the header away, or judge by --judge-mode " + string(Schema)}
	}
	j.forms[kind], err = newReplyForm(name, kind, p.Reply())
	return err
}

// PromptOf is the name of the prompt by which questions of a kind are asked.
func PromptOf(kind judge.Kind) string { return "judge/" + string(kind) + ".txt" }

// IsQuestion reports whether a prompt of this name asks a question, and does not only go before one.
func IsQuestion(name string) bool { return name != examplesPrompt }

// KindOf is the kind of questions that a prompt of this name asks; false: it is none of a judge.
func KindOf(name string) (judge.Kind, bool) {
	for _, kind := range judge.Kinds {
		if PromptOf(kind) == name {
			return kind, true
		}
	}
	return "", false
}

// Name is backend and model, with mode and batch where they are not the default.
func (j *Judge) Name() string {
	name := j.cfg.Label
	if name == "" {
		name = j.cfg.Backend + ":" + j.cfg.Model
	}

	if j.cfg.Mode != Schema {
		name += " (" + string(j.cfg.Mode) + ")"
	}
	if j.cfg.Batch {
		name += " (batch)"
	}
	return name + j.cfg.Examples.Mark()
}

// Judge asks every question, one by one or in batches. Calls of one task share
// their beginning and run side by side.
func (j *Judge) Judge(ctx context.Context, tasks []judge.Task, done func(int)) ([][]judge.Verdict, error) {
	s := newSession(j, tasks, done)
	if j.cfg.Batch {
		if err := s.batches(ctx); err != nil {
			return nil, err
		}
	}

	if err := s.singles(ctx); err != nil {
		return nil, err
	}

	if j.cfg.Mode == Logprob && j.cfg.Samples > 0 {
		if err := s.resample(ctx); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

// session is one run of Judge.
type session struct {
	j        *Judge
	tasks    []judge.Task
	shown    []shown
	out      [][]judge.Verdict
	open     [][]bool // questions without a verdict yet
	note     [][]string
	left     []int // examples of each task that others stand for
	answered int
	done     func(int)
}

func newSession(j *Judge, tasks []judge.Task, done func(int)) *session {
	s := &session{
		j:     j,
		tasks: tasks,
		shown: make([]shown, len(tasks)),
		done:  done,
		out:   make([][]judge.Verdict, len(tasks)),
		open:  make([][]bool, len(tasks)),
		note:  make([][]string, len(tasks)),
		left:  make([]int, len(tasks)),
	}

	for i, t := range tasks {
		s.out[i] = make([]judge.Verdict, len(t.Questions))
		s.open[i] = make([]bool, len(t.Questions))
		s.note[i] = make([]string, len(t.Questions))
		s.shown[i] = guarded(t)
		if j.cfg.Examples != nil {
			_, s.left[i] = j.cfg.Examples.For(t)
		}

		for k, q := range t.Questions {
			s.open[i][k] = true
			if len(t.Units) == 0 { // nothing is said, so nothing is covered
				lowest := judge.Labels[q.Kind][0]
				s.settle(i, k, judge.Verdict{Question: q.ID, Label: lowest, Value: judge.Values[q.Kind][lowest]})
			}
		}
	}
	return s
}

func (s *session) settle(task, question int, v judge.Verdict) {
	if s.note[task][question] != "" {
		v.Flags = append(v.Flags, s.note[task][question])
	}
	if flag := s.shown[task].flag(); flag != "" {
		v.Flags = append(v.Flags, flag)
	}
	if n := s.left[task]; n > 0 && s.tasks[task].Questions[question].Kind == judge.Coverage {
		v.Flags = append(v.Flags, fmt.Sprintf("examples of the same subtopic replaced: %d", n))
	}
	s.out[task][question] = v
	s.open[task][question] = false
	s.answered++
	if s.done != nil {
		s.done(s.answered)
	}
}

// run sends calls and hands back each reply with its place.
func (s *session) run(ctx context.Context, calls []local.Call, done func(i int, r local.Reply)) error {
	if len(calls) == 0 {
		return nil
	}
	if s.j.cfg.Fit != nil {
		s.j.cfg.Fit(calls)
	}
	return s.j.calls.All(ctx, calls, done)
}

// Plan lists the calls that Judge makes at first: one a question, or one a text where these go in
// a batch. What a batch leaves out, replies that must be repaired, and samples take more.
func (j *Judge) Plan(tasks []judge.Task) ([]local.Call, error) {
	s := newSession(j, tasks, nil)
	var out []local.Call
	if j.cfg.Batch {
		calls, at, err := s.batchCalls()
		if err != nil {
			return nil, err
		}
		for _, i := range at {
			clear(s.open[i])
		}
		out = calls
	}
	calls, _, err := s.singleCalls()
	return append(out, calls...), err
}

// singles asks what is open, one question a call.
func (s *session) singles(ctx context.Context) error {
	calls, places, err := s.singleCalls()
	if err != nil {
		return err
	}
	return s.run(ctx, calls, func(n int, r local.Reply) {
		t, k := places[n][0], places[n][1]
		v := s.j.Read(s.tasks[t], k, r)
		v.Reply = r.Text
		s.settle(t, k, v)
	})
}

// Read turns the reply to a question of a task into a verdict, in the form that the judge has asked for.
func (j *Judge) Read(t judge.Task, question int, r local.Reply) judge.Verdict {
	q := t.Questions[question]
	switch form := j.forms[q.Kind]; {
	case j.cfg.Mode == Logprob:
		return link(t, question, readDigit(q, r, j.cfg.MinMass), "")
	case form == nil:
		return readLabel(q, len(t.Units), r)
	default:
		v, why := form.read(q, len(t.Units), r)
		if v.Unit > 0 {
			return v
		}
		return link(t, question, v, why)
	}
}

// singleCalls words a call for every question that is open.
func (s *session) singleCalls() (calls []local.Call, places [][2]int, err error) {
	for i, t := range s.tasks {
		for k, q := range t.Questions {
			if !s.open[i][k] {
				continue
			}

			call, err := s.j.single(s.shown[i], q)
			if err != nil {
				return nil, nil, err
			}
			calls = append(calls, call)
			places = append(places, [2]int{i, k})
		}
	}
	return calls, places, nil
}

// single is the call for one question.
func (j *Judge) single(t shown, q judge.Question) (local.Call, error) {
	own := j.forms[q.Kind]
	form := labelForm(q.Kind)
	switch {
	case j.cfg.Mode == Logprob:
		form = digitForm(q.Kind)
	case own != nil:
		form = own.words()
	}

	statement, _ := guard.Text(q.Text)
	call, err := j.call(t, q.Kind, form, t.question(q), statement)
	if err != nil {
		return call, err
	}

	switch {
	case j.cfg.Mode == Logprob:
		call.TopLogprobs, call.Options.NumPredict = 20, digitTokens
	case own != nil:
		call.Schema, call.Options.NumPredict = own.schema(len(t.Units)), own.tokens()
	default:
		call.Schema = labelSchema(q.Kind, len(t.Units))
	}
	return call, nil
}

// heading names what the last part of a prompt is.
var heading = map[judge.Kind]string{
	judge.Coverage:      "Statement: ",
	judge.Entailment:    "Key point: ",
	judge.Answerability: "Question: ",
	judge.Relevance:     "Reference: ",
	judge.Consistency:   "Reference: ",
}

// call renders a prompt whose last part is the question. A prompt that words it by itself uses the
// statement, which is what is asked about alone.
func (j *Judge) call(t shown, kind judge.Kind, form, question, statement string) (local.Call, error) {
	p, ok := j.prompts[kind]
	if !ok {
		return local.Call{}, fmt.Errorf("the model judge does not know questions of kind %q", kind)
	}
	messages, err := p.Render(struct {
		shown
		Form, Question, Statement string
	}{t, form, question, statement})
	if err == nil && j.examples != nil && kind == judge.Coverage {
		messages, err = j.before(t.Task, messages)
	}
	if err != nil {
		return local.Call{}, err
	}

	options := j.cfg.Options
	options.NumPredict = VerdictTokens
	return local.Call{
		Backend:  j.cfg.Backend,
		Model:    j.cfg.Model,
		Digest:   j.cfg.Digest,
		Messages: messages,
		Options:  options,
		Prefix:   t.ID,
		About:    t.ID,
	}, nil
}

// link names the unit of a covered statement where the model gave none: the one the lexical judge would name. why
// says what the model named instead; it is empty where it was not asked.
func link(t judge.Task, question int, v judge.Verdict, why string) judge.Verdict {
	if t.Questions[question].Kind != judge.Coverage || !v.Scored() || v.Value == 0 {
		return v
	}
	flag := judge.LinkedByWords
	if v.Unit = lexical.Link(t)[question]; v.Unit == 0 {
		flag = judge.LinkedToNone
	}
	if why != "" {
		flag += judge.NamedNone + why
	}
	v.Flags = append(v.Flags, flag)
	return v
}
