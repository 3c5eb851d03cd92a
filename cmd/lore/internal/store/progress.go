package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lore/cmd/lore/internal/meter"
	"lore/local/files"
)

// progressFile says how far a run is. It is there while the run goes on, and stays where it
// was interrupted. Nothing is made of it: it only tells people.
const progressFile = ".progress.json"

// Phase is a part of a run, such as all answers, with how many of its steps are done.
type Phase struct {
	Name  string `json:"name"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

// Work is how far a run is: what it was asked to do, what of it is done, and which answers
// failed so far.
type Work struct {
	Plan
	Mark
	By
	Phases   []Phase        `json:"phases"`
	Failed   int            `json:"failed_answers,omitempty"`
	Failures []FailedAnswer `json:"failures,omitempty"` // the last ones
}

// Mark is how far a run is, in figures. The time left is that of the whole command, which may have
// several runs.
type Mark struct {
	Share       *float64 `json:"share"`                  // of this run's time, 0 to 100; nil: nobody knows yet
	Calls       int      `json:"calls,omitempty"`        // finished calls to models
	FailedCalls int      `json:"failed_calls,omitempty"` // of these, those without a usable reply
	LeftLow     *float64 `json:"left_low_s,omitempty"`   // seconds, at least; nil: nobody knows
	LeftHigh    *float64 `json:"left_high_s,omitempty"`  // seconds, at most; nil: nobody knows
}

// Left is the time left, as far as it is known.
func (m Mark) Left() meter.Left {
	if m.LeftLow == nil {
		return meter.Left{}
	}
	span := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	l := meter.Left{Known: true, Low: span(*m.LeftLow), Least: m.LeftHigh == nil}
	if m.LeftHigh != nil {
		l.High = span(*m.LeftHigh)
	}
	return l
}

// By is who works, and when. A lock tells whether somebody does, but not to other machines.
type By struct {
	Machine string    `json:"machine,omitempty"`
	Process int       `json:"process,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Updated time.Time `json:"updated,omitzero"` // every few seconds, as long as it works
}

// Plan is what a run was asked to do.
type Plan struct {
	Benchmark string   `json:"benchmark,omitempty"`
	Items     int      `json:"items,omitempty"`
	Systems   int      `json:"systems,omitempty"`
	Judges    []string `json:"judges,omitempty"`
}

// FailedAnswer is an answer that there is not.
type FailedAnswer struct {
	System string `json:"system"`
	Item   string `json:"item"`
	Reason string `json:"reason"`
}

// mostFailures is how many failed answers are listed.
const mostFailures = 20

// Progress writes down how far a run is, for whoever looks at its folder from outside. The
// zero value remembers, and writes from Begin on. It may be used by several goroutines.
type Progress struct {
	mu      sync.Mutex
	dir     string
	work    Work
	before  map[string]int // steps of earlier phases of the same name
	written time.Time
	look    func() Mark // nil: nobody knows
}

// pause is the least time between two writes.
const pause = 500 * time.Millisecond

// Begin names the run folder.
func (p *Progress) Begin(f *Folder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dir = f.dir
	p.work.Started = time.Now().UTC().Truncate(time.Second)
	p.work.Process = os.Getpid()
	p.work.Machine, _ = os.Hostname() // without a name it is taken for this one
	p.write()
}

// Look sets what tells how far the run is.
func (p *Progress) Look(look func() Mark) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look = look
}

// Beat writes the file though nothing has happened, for whoever cannot see the lock.
func (p *Progress) Beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.written) >= pause {
		p.write()
	}
}

// Plan notes what the run was asked to do.
func (p *Progress) Plan(what Plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.work.Plan = what
}

// Failed notes an answer that failed.
func (p *Progress) Failed(a FailedAnswer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.work.Failed++
	p.work.Failures = append(p.work.Failures, a)
	if len(p.work.Failures) > mostFailures {
		p.work.Failures = p.work.Failures[1:]
	}
	if time.Since(p.written) >= pause {
		p.write()
	}
}

// Tell notes how much of a phase is done. Nothing done begins it; phases of one name are
// counted together.
func (p *Progress) Tell(name string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := -1
	for i := range p.work.Phases {
		if p.work.Phases[i].Name == name {
			at = i
		}
	}

	switch {
	case at < 0:
		p.work.Phases = append(p.work.Phases, Phase{name, done, total})
	case done == 0 && total > 0:
		if p.before == nil {
			p.before = map[string]int{}
		}
		p.before[name] = p.work.Phases[at].Total
		p.work.Phases[at].Total += total
	default:
		p.work.Phases[at].Done = max(p.work.Phases[at].Done, p.before[name]+done)
	}
	if at < 0 || time.Since(p.written) >= pause {
		p.write()
	}
}

// write writes the file. That nobody can read how far a run is is no reason to stop it.
func (p *Progress) write() {
	if p.dir == "" {
		return
	}
	p.work.Updated = time.Now().UTC().Truncate(time.Second)
	if p.look != nil {
		p.work.Mark = p.look()
	}
	if data, err := Encode(p.work); err == nil {
		_ = files.WriteFile(filepath.Join(p.dir, progressFile), data)
	}
	p.written = time.Now()
}

// End takes the file away: the run is finished.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != "" {
		_ = os.Remove(filepath.Join(p.dir, progressFile))
	}
	p.dir = ""
}

// State is what becomes of a run.
type State string

// The states of a run. One that was extended and stopped has the files of the run before it.
const (
	Running  State = "running"
	Stopped  State = "stopped" // interrupted, killed, or refused by a server: the same command goes on
	Finished State = "finished"
)

// quietFor is how long another machine may say nothing of its run.
const quietFor = time.Minute

// StateOf is the state of a run folder, with how far it is unless it is finished. A run of another
// machine, whose lock may not be seen here, goes on as long as its file is written.
func StateOf(dir string) (State, Work) {
	busy := Busy(dir) // first: who has unlocked it has finished
	work, err := ReadProgress(dir)
	here, _ := os.Hostname()
	_, missing := os.Stat(filepath.Join(dir, ManifestFile))

	switch {
	case busy:
		return Running, work
	case err == nil && work.Machine != "" && work.Machine != here && time.Since(work.Updated) < quietFor:
		return Running, work
	case errors.Is(err, fs.ErrNotExist) && missing == nil:
		return Finished, Work{}
	}
	return Stopped, work
}

// ReadProgress tells how far the run of a folder is, or was when it was interrupted. The
// error is fs.ErrNotExist where it is finished, or an earlier lore makes it.
func ReadProgress(dir string) (Work, error) {
	var w Work
	err := ReadJSON(dir, progressFile, &w)
	return w, err
}
