package view

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
)

// runs are the run folders that may be looked at. An address names them by id: what is not
// in the list cannot be named.
type runs struct {
	source Source
	about  string // where the list looks, in words

	mu      sync.Mutex
	byID    map[string]string // folders
	listed  List
	read    time.Time // when the list was read
	readErr error

	pages  pages
	follow map[string]*follower // by folder

	labels map[string]string // labelling folders, by id
	saving sync.Mutex        // one writes at a time
}

// errUnknown says that an address names nothing.
var errUnknown = errors.New("there is no such run, or no such part of it; it may have been moved: see the list of runs")

func newRuns(source Source, about string) *runs {
	return &runs{source: source, about: about, byID: map[string]string{}, follow: map[string]*follower{}, labels: map[string]string{}}
}

// idOf names a folder in addresses. It is the same whenever the server is started.
func idOf(folder string) string {
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	sum := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(sum[:6])
}

// pathOf is the path of the address of runs.
func pathOf(folders []string) string {
	if len(folders) == 0 {
		return "/"
	}
	ids := make([]string, len(folders))
	for i, f := range folders {
		ids[i] = idOf(f)
	}
	return runPath + strings.Join(ids, "-")
}

// List is the list of runs.
type List struct {
	Folder string   `json:"folder"`
	Runs   []Listed `json:"runs"`
	Labels []Folder `json:"labels"` // labelling folders that were named by themselves
}

// Listed is a run of the list. Of one that is not finished, Phase is what goes on, or where it
// was interrupted, with how many of its steps are done.
type Listed struct {
	ID          string `json:"id"`
	Name        string `json:"folder"`
	Finished    bool   `json:"finished"`
	Running     bool   `json:"running"`
	Interrupted bool   `json:"interrupted"`
	Phase       string `json:"phase,omitempty"`
	Done        int    `json:"done"`
	Total       int    `json:"total"`

	Share float64 `json:"share"`          // of a run that is not finished, 0 to 100; 0: or not known yet
	Left  string  `json:"left,omitempty"` // its time left in words; empty where nobody knows
	Run
}

// listAge is how old a list may be that is shown.
const listAge = time.Second

// list reads the list, at most once in a while.
func (r *runs) list() (List, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.read) < listAge {
		return r.listed, r.readErr
	}

	found, err := r.source.List()
	out := List{Folder: r.about, Runs: []Listed{}}
	for _, run := range found {
		id := idOf(run.Folder)
		r.byID[id] = run.Folder
		state, _ := store.StateOf(run.Folder)
		l := Listed{
			ID:       id,
			Name:     usage.Plain(run.Folder),
			Finished: stampOf(run.Folder) != "",
			Running:  state == store.Running,
			Run:      run,
		}
		if l.Running {
			l.Problem = ""
		}
		if !l.Finished {
			l.takeWork(run.Folder)
		}
		out.Runs = append(out.Runs, l)
	}
	// What goes on comes first.
	slices.SortStableFunc(out.Runs, func(a, b Listed) int {
		return cmp.Compare(order(a), order(b))
	})
	r.listed, r.readErr, r.read = out, err, time.Now()
	return out, err
}

// takeWork tells what is known of a run that is not finished: what it was asked to do, and how
// much of that is done.
func (l *Listed) takeWork(folder string) {
	work, _ := store.ReadProgress(folder) // none: an earlier lore makes it
	for _, p := range work.Phases {
		l.Phase, l.Done, l.Total = usage.Plain(p.Name), p.Done, p.Total
		if p.Done < p.Total {
			break
		}
	}
	l.Interrupted = !l.Running && len(work.Phases) > 0
	l.Share = shareOf(work)
	if l.Running {
		l.Left = work.Left().String()
	}
	if l.Benchmark == "" && work.Benchmark != "" {
		l.Benchmark, l.Items, l.Systems, l.Failed = usage.Plain(work.Benchmark), work.Items, work.Systems, work.Failed
		l.Judges = nil
		for _, j := range work.Judges {
			l.Judges = append(l.Judges, usage.Plain(j))
		}
	}
}

func order(l Listed) int {
	if l.Running {
		return 0
	}
	return 1
}

// folders are those that an address names.
func (r *runs) folders(ids string) ([]string, error) {
	if _, err := r.list(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()

	var out []string
	seen := map[string]bool{}
	for id := range strings.SplitSeq(ids, "-") {
		folder, ok := r.byID[id]
		if !ok || seen[id] {
			return nil, errUnknown
		}
		seen[id] = true
		out = append(out, folder)
	}
	return out, nil
}

// stampOf tells a finished run from itself before it was extended; empty for one that is
// not finished. The manifest is written last.
func stampOf(folder string) string {
	info, err := os.Stat(filepath.Join(folder, store.ManifestFile))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%d", info.ModTime().UnixNano(), info.Size())
}

// block is a part of the page of runs.
func (r *runs) block(ids, name string) (page.Block, error) {
	made, _, err := r.page(ids)
	if err != nil {
		return page.Block{}, err
	}
	b, ok := made.blocks[name]
	if !ok {
		return b, errUnknown
	}
	return b, nil
}

// page makes the page of runs, or takes it from memory where nothing has changed since.
func (r *runs) page(ids string) (*made, []string, error) {
	folders, err := r.folders(ids)
	if err != nil {
		return nil, nil, err
	}
	key := ids
	for _, f := range folders {
		key += " " + stampOf(f)
	}
	m, err := r.pages.get(key, func() (*page.Page, error) { return r.source.Page(folders) })
	return m, folders, err
}

// made is a page with its blocks by name.
type made struct {
	page   *page.Page
	blocks map[string]page.Block
}

// pages remembers the pages that were made last. A page that several ask for is made once.
type pages struct {
	mu   sync.Mutex
	kept []*kept
}

type kept struct {
	key  string
	once sync.Once
	made *made
	err  error
}

// mostPages is how many pages are kept in memory.
const mostPages = 3

func (p *pages) get(key string, make func() (*page.Page, error)) (*made, error) {
	k := p.find(key)
	k.once.Do(func() {
		pg, err := make()
		if err != nil {
			k.err = err
			return
		}
		k.made = &made{page: pg, blocks: map[string]page.Block{}}
		for _, b := range pg.Blocks() {
			k.made.blocks[b.Name] = b
		}
	})
	if k.err != nil {
		p.forget(k) // the next one may be lucky
	}
	return k.made, k.err
}

// find is the place of a page, last in the list.
func (p *pages) find(key string) *kept {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := &kept{key: key}
	for i, k := range p.kept {
		if k.key == key {
			found = k
			p.kept = append(p.kept[:i], p.kept[i+1:]...)
			break
		}
	}
	p.kept = append(p.kept, found)
	if len(p.kept) > mostPages {
		p.kept = p.kept[1:]
	}
	return found
}

func (p *pages) forget(gone *kept) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, k := range p.kept {
		if k == gone {
			p.kept = append(p.kept[:i], p.kept[i+1:]...)
			return
		}
	}
}
