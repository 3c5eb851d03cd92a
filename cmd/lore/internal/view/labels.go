package view

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"lore/cmd/lore/internal/label"
	"lore/cmd/lore/internal/usage"
)

// Labelling is what the page does with labels: it shows labelling folders, plans new ones,
// and saves what people say.
type Labelling interface {
	// Folders are the labelling folders of a run; of "" those that were named by themselves.
	Folders(run string) ([]string, error)
	// Choices are what people could label of a finished run.
	Choices(run string) (Choices, error)
	// Plan says what a plan would give, and writes it where Make is set.
	Plan(run string, w Wish) (Outline, error)
}

// Choices are what a plan can be made of.
type Choices struct {
	Tasks  []Choice `json:"tasks"`
	Judges []string `json:"judges"`
}

// Choice is a task.
type Choice struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Seconds int    `json:"seconds"` // that an item takes
}

// Wish is a plan as somebody wants it: so many labels, or so many minutes of each annotator.
type Wish struct {
	Task        string   `json:"task"`
	Judge       string   `json:"judge"`
	Labels      int      `json:"labels"`
	Minutes     float64  `json:"minutes"`
	Annotators  string   `json:"annotators"` // names, with commas between them
	Shared      *float64 `json:"shared"`     // null: as the plan has it, or as usual
	Adjudicator string   `json:"adjudicator"`
	Differences bool     `json:"differences"`
	Evenly      bool     `json:"evenly"` // as many of each system, whatever the judge says
	Make        bool     `json:"make"`
}

// Outline is what a plan would give.
type Outline struct {
	Labels      int             `json:"labels"`
	Of          int             `json:"of"`
	Correlation float64         `json:"correlation"` // of the judge with people, as it is expected
	Seconds     int             `json:"seconds"`     // that an item takes
	Outlook     []label.Outlook `json:"outlook"`
	LeftOut     int             `json:"left_out"`          // verdicts that the judge left unscored
	Changes     []string        `json:"changes,omitempty"` // where it goes on from an earlier plan
	Folder      string          `json:"-"`
	ID          string          `json:"id,omitempty"` // of the folder, where one was made
}

// Sheets is a run's labelling, or what was named by itself.
type Sheets struct {
	Run     string   `json:"run"` // its folder, for people
	Folders []Folder `json:"folders"`
	Choices *Choices `json:"choices,omitempty"`
	Problem string   `json:"problem,omitempty"` // why nothing can be planned
}

// Folder is a labelling folder as a line of a list.
type Folder struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Planned int    `json:"planned"`
	Decided int    `json:"decided"`
	Split   int    `json:"split"`
	Problem string `json:"problem,omitempty"` // why nothing else is known
}

// Saved answers a label that is on disk.
type Saved struct {
	Item  string         `json:"saved"`
	Point *label.Outlook `json:"point,omitempty"` // the intervals by now
}

func labelRoutes(mux *http.ServeMux, runs *runs) {
	mux.HandleFunc("GET /labels/{id}", func(w http.ResponseWriter, r *http.Request) {
		if _, err := runs.oneFolder(r.PathValue("id")); err != nil {
			fail(w, err)
			return
		}
		serveShell(w, r)
	})
	mux.HandleFunc("GET /run/{id}/labelling", func(w http.ResponseWriter, r *http.Request) {
		sheets, err := runs.sheets(r.PathValue("id"))
		serveJSON(w, r, sheets, err)
	})
	mux.HandleFunc("POST /run/{id}/plan", func(w http.ResponseWriter, r *http.Request) {
		var wish Wish
		if !readJSON(w, r, &wish) {
			return
		}
		out, err := runs.plan(r.PathValue("id"), wish)
		serveJSON(w, r, out, err)
	})

	ofFolder := func(do func(dir string, w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			dir, err := runs.labelFolder(r.PathValue("id"))
			if err != nil {
				fail(w, err)
				return
			}
			do(dir, w, r)
		}
	}
	mux.HandleFunc("GET /label/{id}", ofFolder(func(_ string, w http.ResponseWriter, r *http.Request) { serveShell(w, r) }))
	mux.HandleFunc("GET /label/{id}/sheet", ofFolder(serveSheet))
	mux.HandleFunc("GET /label/{id}/status", ofFolder(serveStatus))
	mux.HandleFunc("GET /label/{id}/labels", ofFolder(serveSeat))
	mux.HandleFunc("POST /label/{id}/labels", ofFolder(runs.saveLabel))
}

func serveSheet(dir string, w http.ResponseWriter, r *http.Request) {
	f, _, err := label.Read(dir)
	if err != nil {
		fail(w, err)
		return
	}
	serveJSON(w, r, f.Sheet, nil)
}

func serveStatus(dir string, w http.ResponseWriter, r *http.Request) {
	f, _, err := label.Read(dir)
	if err != nil {
		fail(w, err)
		return
	}
	serveJSON(w, r, f.Summary(), nil)
}

func serveSeat(dir string, w http.ResponseWriter, r *http.Request) {
	f, _, err := label.Read(dir)
	if err != nil {
		fail(w, err)
		return
	}
	seat, err := f.Seat(r.URL.Query().Get("annotator"))
	serveJSON(w, r, seat, err)
}

// readJSON reads what a page sends, all of it, and answers what is wrong with it.
func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		w.Header().Set("Connection", "close")
		http.Error(w, "The request is too large, or broke off.", http.StatusRequestEntityTooLarge)
		return false
	}
	if err := json.Unmarshal(data, into); err != nil {
		http.Error(w, "The request is no JSON as this page sends it: "+usage.Plain(err.Error()), http.StatusBadRequest)
		return false
	}
	return true
}

// saveLabel answers only once the label is on disk.
func (r *runs) saveLabel(dir string, w http.ResponseWriter, req *http.Request) {
	var l label.Label
	if !readJSON(w, req, &l) {
		return
	}
	saved, err := r.save(dir, l)
	if errors.Is(err, label.ErrBusy) {
		http.Error(w, usage.Plain(err.Error()), http.StatusConflict)
		return
	}
	serveJSON(w, req, saved, err)
}

// patience is how long another process may keep the folder, such as lore label add.
const patience = 3 * time.Second

func (r *runs) save(dir string, l label.Label) (saved Saved, err error) {
	r.saving.Lock()
	defer r.saving.Unlock()
	desk, err := openDesk(dir)
	if err != nil {
		return Saved{}, err
	}
	defer func() { err = errors.Join(err, desk.Close()) }()

	if _, err := desk.Save(l); err != nil {
		return Saved{}, err
	}
	saved.Item = l.Item
	f := desk.Folder()
	if half := f.Half(); !math.IsNaN(half) && !math.IsInf(half, 0) {
		saved.Point = &label.Outlook{Labels: len(f.Decide()), Half: math.Round(10*half) / 10}
	}
	return saved, nil
}

func openDesk(dir string) (*label.Desk, error) {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		desk, _, err := label.Open(dir)
		if err == nil || !errors.Is(err, label.ErrBusy) || time.Since(began) > patience {
			return desk, err
		}
	}
}

// oneFolder is the run folder of an id.
func (r *runs) oneFolder(id string) (string, error) {
	folders, err := r.folders(id)
	if err != nil {
		return "", err
	}
	if len(folders) != 1 {
		return "", errUnknown
	}
	return folders[0], nil
}

// labelFolder is the labelling folder of an id, which may have been made a moment ago.
func (r *runs) labelFolder(id string) (string, error) {
	r.mu.Lock()
	dir, ok := r.labels[id]
	r.mu.Unlock()
	if ok {
		return dir, nil
	}

	list, err := r.list()
	if err != nil {
		return "", err
	}
	places := []string{""}
	for _, run := range list.Runs {
		places = append(places, run.Folder)
	}
	for _, place := range places {
		if _, err := r.labelled(place); err != nil {
			return "", err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if dir, ok := r.labels[id]; ok {
		return dir, nil
	}
	return "", errUnknown
}

// labelled are the labelling folders of a run, which can be named from now on.
func (r *runs) labelled(run string) ([]Folder, error) {
	dirs, err := r.source.Folders(run)
	if err != nil {
		return nil, err
	}
	out := []Folder{}
	for _, dir := range dirs {
		id := idOf(dir)
		r.mu.Lock()
		r.labels[id] = dir
		r.mu.Unlock()
		out = append(out, lineOf(id, dir))
	}
	return out, nil
}

func lineOf(id, dir string) Folder {
	line := Folder{ID: id, Name: usage.Plain(dir)}
	f, _, err := label.Read(dir)
	if err != nil {
		line.Problem = usage.Plain(err.Error())
		return line
	}
	line.Title = usage.Plain(f.Sheet.Task.Title)
	line.Planned, line.Decided, line.Split = f.Plan.Labels, len(f.Decide()), len(f.Split())
	return line
}

func (r *runs) sheets(id string) (Sheets, error) {
	run, err := r.oneFolder(id)
	if err != nil {
		return Sheets{}, err
	}
	out := Sheets{Run: usage.Plain(run)}
	if out.Folders, err = r.labelled(run); err != nil {
		return Sheets{}, err
	}
	choices, err := r.source.Choices(run)
	if err != nil {
		out.Problem = usage.Plain(err.Error())
		return out, nil
	}
	out.Choices = &choices
	return out, nil
}

func (r *runs) plan(id string, w Wish) (Outline, error) {
	run, err := r.oneFolder(id)
	if err != nil {
		return Outline{}, err
	}
	for _, name := range strings.Split(w.Annotators+","+w.Adjudicator, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if err := label.CheckName(name); err != nil {
			return Outline{}, err
		}
	}
	r.saving.Lock()
	defer r.saving.Unlock()
	out, err := r.source.Plan(run, w)
	if err != nil {
		return Outline{}, fmt.Errorf("no plan: %w", err)
	}
	if w.Make {
		out.ID = idOf(out.Folder)
		r.mu.Lock()
		r.labels[out.ID] = out.Folder
		r.mu.Unlock()
	}
	return out, nil
}
