package store

import (
	"os"
	"path/filepath"
	"sync"
	"time"

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

// Progress writes down how far a run is, for whoever looks at its folder from outside. The
// zero value remembers, and writes from Begin on. It may be used by several goroutines.
type Progress struct {
	mu      sync.Mutex
	dir     string
	phases  []Phase
	before  map[string]int // steps of earlier phases of the same name
	written time.Time
}

// pause is the least time between two writes.
const pause = 500 * time.Millisecond

// Begin names the run folder.
func (p *Progress) Begin(f *Folder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dir = f.dir
	p.write()
}

// Tell notes how much of a phase is done. Nothing done begins it; phases of one name are
// counted together.
func (p *Progress) Tell(name string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := -1
	for i := range p.phases {
		if p.phases[i].Name == name {
			at = i
		}
	}

	switch {
	case at < 0:
		p.phases = append(p.phases, Phase{name, done, total})
	case done == 0 && total > 0:
		if p.before == nil {
			p.before = map[string]int{}
		}
		p.before[name] = p.phases[at].Total
		p.phases[at].Total += total
	default:
		p.phases[at].Done = max(p.phases[at].Done, p.before[name]+done)
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
	if data, err := Encode(p.phases); err == nil {
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

// ReadProgress tells how far the run of a folder is, or was when it was interrupted. The
// error is fs.ErrNotExist where it is finished, or an earlier lore makes it.
func ReadProgress(dir string) ([]Phase, error) {
	var phases []Phase
	err := ReadJSON(dir, progressFile, &phases)
	return phases, err
}
