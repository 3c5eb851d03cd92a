package view

import (
	"cmp"
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/local"
	"lore/local/gate"
)

// State is how far runs are.
type State struct {
	Runs []RunState `json:"runs"`
}

// RunState is how far a run is. Stamp changes when its results do.
type RunState struct {
	Folder   string        `json:"folder"`
	Finished bool          `json:"finished"`
	Running  bool          `json:"running"`
	Stamp    string        `json:"stamp"`
	Share    float64       `json:"share"`          // of the run, 0 to 100; 0: or not known yet
	Left     string        `json:"left,omitempty"` // in words; empty where nobody knows
	Phases   []store.Phase `json:"phases"`
	Calls    []Calls       `json:"calls"`
	Failures []Failure     `json:"failures"` // the last ones

	// Answers that failed, which may be without a call that did, and the last of them.
	FailedAnswers int                  `json:"failed_answers"`
	Answers       []store.FailedAnswer `json:"answers"`
}

// Calls are the calls to a model that a journal has. Failed ones are among the done.
type Calls struct {
	Model  string  `json:"model"`
	Done   int     `json:"done"`
	Failed int     `json:"failed"`
	Median float64 `json:"median_ms"`
}

// Failure is a call that failed, and was not made good since.
type Failure struct {
	Model   string `json:"model"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"`
}

// mostFailures is how many failures are listed.
const mostFailures = 30

// state tells how far runs are. Of a finished one the journal is not read.
func (r *runs) state(ids string) (State, error) {
	out := State{Runs: []RunState{}}
	folders, err := r.folders(ids)
	if err != nil {
		return out, err
	}
	for _, f := range folders {
		state, _ := store.StateOf(f)
		s := RunState{Folder: usage.Plain(f), Running: state == store.Running, Phases: []store.Phase{},
			Calls: []Calls{}, Failures: []Failure{}, Answers: []store.FailedAnswer{}}
		s.Stamp = stampOf(f) // after the lock was looked at: who has unlocked it has finished
		s.Finished = s.Stamp != ""
		if !s.Finished {
			if err := r.progress(f, &s); err != nil {
				return out, err
			}
		}
		out.Runs = append(out.Runs, s)
	}
	return out, nil
}

// shareOf is the share that is done, 0 where it is not known.
func shareOf(w store.Work) float64 {
	if w.Share == nil {
		return 0
	}
	return *w.Share
}

// progress adds what the folder of a run tells that is not finished.
func (r *runs) progress(folder string, s *RunState) error {
	work, _ := store.ReadProgress(folder) // none: nothing has begun, or an earlier lore makes it
	s.FailedAnswers = work.Failed
	s.Share = shareOf(work)
	if s.Running {
		s.Left = work.Left().String()
	}
	for _, a := range slices.Backward(work.Failures) {
		a.System, a.Item, a.Reason = usage.Plain(a.System), usage.Plain(a.Item), usage.Plain(a.Reason)
		s.Answers = append(s.Answers, a)
	}
	for _, p := range work.Phases {
		p.Name = usage.Plain(p.Name)
		s.Phases = append(s.Phases, p)
	}
	f := r.follower(folder)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.next(); err != nil {
		return err
	}
	s.Calls, s.Failures = f.calls(), f.failures()
	return nil
}

// follower is what is known of a run's journal. Of each call it keeps the last reply that
// counts, without its text.
type follower struct {
	mu    sync.Mutex
	read  *gate.Follower
	last  map[string]call // by key
	order []string        // keys of calls that failed, as they did; some were made good since
}

// call is a finished call.
type call struct {
	model   string
	outcome local.Outcome
	detail  string
	took    time.Duration
	text    [sha256.Size]byte
}

func (r *runs) follower(folder string) *follower {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.follow[folder]
	if f == nil {
		f = &follower{read: gate.NewFollower(filepath.Join(folder, "calls")), last: map[string]call{}}
		r.follow[folder] = f
	}
	return f
}

// next reads what is new.
func (f *follower) next() error {
	return f.read.Next(func(e gate.Entry) {
		if e.Void != "" {
			delete(f.last, e.Key)
			return
		}
		c := call{
			model:   nameOf(e.Call),
			outcome: e.Reply.Outcome,
			took:    e.Reply.Usage.Duration,
			text:    sha256.Sum256([]byte(usage.Plain(e.Reply.Text))),
		}
		if c.outcome != local.OK {
			c.detail = e.Reply.Detail
			f.order = append(f.order, e.Key)
		}
		f.last[e.Key] = c
	})
}

// nameOf names the model of a call as tables do, which leave out the tag that a server adds.
func nameOf(c local.Call) string {
	if c.Model == "" || c.Model == c.Backend {
		return c.Backend
	}
	return c.Backend + ":" + strings.TrimSuffix(c.Model, ":latest")
}

// calls sums up by model, in order of name.
func (f *follower) calls() []Calls {
	times := map[string][]time.Duration{}
	failed := map[string]int{}
	for _, c := range f.last {
		times[c.model] = append(times[c.model], c.took)
		if c.outcome != local.OK {
			failed[c.model]++
		}
	}
	out := []Calls{}
	for model, took := range times {
		out = append(out, Calls{usage.Plain(model), len(took), failed[model], milliseconds(median(took))})
	}
	slices.SortFunc(out, func(a, b Calls) int { return cmp.Compare(a.Model, b.Model) })
	return out
}

// failures are the last calls that failed and were not made good, the newest first.
func (f *follower) failures() []Failure {
	out := []Failure{}
	seen := map[string]bool{}
	for _, key := range slices.Backward(f.order) {
		c, ok := f.last[key]
		if !ok || c.outcome == local.OK || seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, Failure{usage.Plain(c.model), string(c.outcome), usage.Plain(c.detail)})
		if len(out) == mostFailures {
			break
		}
	}
	return out
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Times are how long the calls behind a question took, as far as the journals know.
type Times struct {
	Answers []AnswerTime `json:"answers"`
	Models  []ModelTime  `json:"models"`
}

// AnswerTime is how long a system took to answer.
type AnswerTime struct {
	System int     `json:"system"`
	Took   float64 `json:"ms"`
}

// ModelTime is how long a model's calls take, over a whole run.
type ModelTime struct {
	Model  string  `json:"model"`
	Calls  int     `json:"calls"`
	Median float64 `json:"median_ms"`
}

// calls finds the calls behind a question's answers by what they replied.
func (r *runs) calls(ids string, item int) (Times, error) {
	out := Times{Answers: []AnswerTime{}, Models: []ModelTime{}}
	m, folders, err := r.page(ids)
	if err != nil {
		return out, err
	}
	if item < 0 || item >= len(m.page.Questions) {
		return out, errUnknown
	}

	for n, folder := range folders {
		f := r.follower(folder)
		f.mu.Lock()
		err := f.next()
		took := f.byText()
		models := f.calls()
		f.mu.Unlock()
		if err != nil {
			return out, err
		}

		for _, a := range m.page.Questions[item].Answers {
			if s := m.page.Head.Systems[a.System]; s.Run == n && !a.Failed {
				if d, ok := took.find(a.Text, s.Full); ok {
					out.Answers = append(out.Answers, AnswerTime{a.System, milliseconds(d)})
				}
			}
		}
		for _, c := range models {
			out.Models = append(out.Models, ModelTime{c.Model, c.Done, c.Median})
		}
	}
	return out, nil
}

// replies are calls by the hash of their text.
type replies map[[sha256.Size]byte][]call

func (f *follower) byText() replies {
	out := replies{}
	for _, c := range f.last {
		out[c.text] = append(out[c.text], c)
	}
	return out
}

// find is how long the call took that gave a text; nothing where several did, since nobody
// knows which.
func (r replies) find(text, system string) (time.Duration, bool) {
	var of []call
	for _, c := range r[sha256.Sum256([]byte(text))] {
		if strings.Contains(system, c.model) {
			of = append(of, c)
		}
	}
	if len(of) != 1 {
		return 0, false
	}
	return of[0].took, true
}
