package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/cmd/lore/internal/view"
	"lore/local/files"
)

type viewFlags struct {
	host string
	port int
}

func newView() *cobra.Command {
	var f viewFlags
	c := &cobra.Command{
		Use:   "view [RUN | LABELLING...]",
		Short: "Look at runs in the browser, also while they go on; label in it",
		Long: "view serves the page of a run to the browser of this machine, or of several runs side by\n" +
			"side. Without RUN it lists the runs below this folder. A run that goes on shows how far\n" +
			"it is and what failed; its page opens when it is finished.\n\n" +
			"It is also where people label: of a labelling folder (see lore label plan), or from the page\n" +
			"of a run, which plans what to label.\n\n" +
			"It prints one address, which holds a token: nobody else may look. It changes nothing but\n" +
			"labels. Ctrl-C ends it.",
		Example: "  lore view\n  lore view lore-runs/summhay-1a2b3c4d\n  lore view may june --port 8765\n" +
			"  lore view first/labels/coverage",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return viewRuns(c, f, args) },
	}
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.IntVar(&f.port, "port", 0, "port to listen on; 0 is any that is free")
		fl.StringVar(&f.host, "host", view.Hosts[0], "loopback `address` to listen on: "+strings.Join(view.Hosts, " or "))
	})
	return c
}

func viewRuns(c *cobra.Command, f viewFlags, args []string) error {
	s := &runSource{command: c, named: len(args) > 0, known: map[string]listed{}}
	for _, dir := range args {
		if isLabelling(dir) {
			if err := openable(dir); err != nil {
				return err
			}
			s.labels = appendNew(s.labels, filepath.Clean(dir))
			continue
		}
		if err := checkRun(dir); err != nil {
			return err
		}
		s.dirs = appendNew(s.dirs, filepath.Clean(dir))
	}

	if err := s.check(); err != nil {
		return err
	}

	about := "below this folder"
	if s.named {
		about = "named on the command line"
	}
	server, err := view.Listen(f.host, f.port, s, about)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Fprintln(c.OutOrStdout(), s.first(server))
	fmt.Fprintln(c.ErrOrStderr(), "Open this address in a browser of this machine. Ctrl-C ends lore view.")
	return server.Serve(c.Context())
}

// check reads the finished runs that were named, and refuses what their page cannot show, as
// lore report does. Runs that are opened together must be of one benchmark.
func (s *runSource) check() error {
	finished := slices.DeleteFunc(slices.Clone(s.dirs), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, store.ManifestFile))
		return errors.Is(err, fs.ErrNotExist)
	})
	together := [][]string{finished}
	if len(s.labels) > 0 {
		together = slices.Collect(slices.Chunk(finished, 1))
	}
	for _, dirs := range together {
		if len(dirs) == 0 {
			continue
		}
		runs, _, err := loadRuns(s.command, dirs)
		if err != nil {
			return err
		}
		if _, err := pageSources(dirs, runs); err != nil {
			return err
		}
	}
	return nil
}

// first is the address to begin with: of what was named, or of the list.
func (s *runSource) first(server *view.Server) string {
	switch {
	case len(s.labels) == 0:
		return server.URL(s.dirs...)
	case len(s.dirs) == 0 && len(s.labels) == 1:
		return server.LabelURL(s.labels[0])
	}
	return server.URL()
}

// checkRun refuses what is no run folder, and names the nearest that is one.
func checkRun(dir string) error {
	if isRun(dir) {
		return nil
	}
	if inside, err := runFolders(dir); err == nil && len(inside) > 0 {
		return chooseRun(dir, inside)
	}
	msg := "is no run folder, and no labelling folder"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		msg = "cannot be read: no such file or folder"
	}

	found, _ := runFolders(".") // none: there is nothing to name
	beside, _ := runFolders(filepath.Dir(filepath.Clean(dir)))
	found = append(found, beside...)
	remedy := "lore runs lists those there are"
	if near := nearestRun(dir, found); near != "" {
		remedy = fmt.Sprintf("did you mean %s?", near)
	}
	return &files.Error{File: dir, Msg: msg, Remedy: remedy}
}

// mostChoices is how many runs of a folder are named.
const mostChoices = 20

// chooseRun is the error of a folder that holds runs, with the command for each.
func chooseRun(dir string, inside []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is no run folder, but holds %s; look at one:", dir, usage.Counted(len(inside), "run folder"))
	for _, run := range inside[:min(len(inside), mostChoices)] {
		fmt.Fprintf(&b, "\n  lore view %s", files.Quoted(run))
	}
	if more := len(inside) - mostChoices; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more, which lore runs %s lists", more, files.Quoted(dir))
	}
	return usage.Errorf("%s", b.String())
}

// nearestRun is the run folder that a misspelt one most likely means: by its whole path, or
// by its name alone.
func nearestRun(dir string, found []string) string {
	if near := usage.Nearest(filepath.Clean(dir), found); near != "" {
		return near
	}
	byName := map[string]string{}
	var names []string
	for _, f := range found {
		byName[filepath.Base(f)] = f
		names = append(names, filepath.Base(f))
	}
	name := filepath.Base(filepath.Clean(dir))
	return cmp.Or(byName[name], byName[usage.Nearest(name, names)])
}

// runSource gives lore view its runs. What was read of a folder is remembered until its
// manifest changes.
type runSource struct {
	command *cobra.Command
	named   bool     // only what follows; else the runs below this folder
	dirs    []string // runs
	labels  []string // labelling folders

	mu    sync.Mutex
	known map[string]listed // by folder and the time of its manifest

	making sync.Mutex // one page at a time, which takes all processors
}

// List lists the runs, the newest first.
func (s *runSource) List() ([]view.Run, error) {
	dirs := s.dirs
	if !s.named {
		var err error
		if dirs, err = runFolders("."); err != nil {
			return nil, fmt.Errorf("list the runs below this folder: %w", err)
		}
	}

	var list []listed
	for _, dir := range dirs {
		list = append(list, s.read(dir))
	}
	if !s.named {
		slices.SortStableFunc(list, func(a, b listed) int { return b.Date.Compare(a.Date) })
	}
	out := make([]view.Run, len(list))
	for i, l := range list {
		out[i] = viewed(l)
	}
	return out, nil
}

// read reads a folder as `lore runs` does.
func (s *runSource) read(dir string) listed {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := dir
	for _, name := range []string{store.ManifestFile, "scores.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			key += info.ModTime().Format(time.RFC3339Nano)
		}
	}
	l, ok := s.known[key]
	if !ok {
		l = readResults(dir)
		s.known[key] = l
	}
	return l
}

// viewed is a line of the list.
func viewed(l listed) view.Run {
	out := view.Run{
		Folder:    l.Folder,
		Problem:   usage.Plain(l.Problem),
		Benchmark: usage.Plain(l.Benchmark),
		Items:     l.Items,
		Systems:   len(l.Systems),
		Metric:    l.Metric,
		Value:     l.Value,
		Best:      usage.Plain(l.Best),
		Failed:    l.failed,
		Unscored:  l.unscored,
	}
	for _, j := range l.Judges {
		out.Judges = append(out.Judges, usage.Plain(j))
	}
	return out
}

// Page makes the page that `lore report --html` writes.
func (s *runSource) Page(dirs []string) (*page.Page, error) {
	s.making.Lock()
	defer s.making.Unlock()
	runs, bench, err := loadRuns(s.command, dirs)
	if err != nil {
		return nil, err
	}
	sources, err := pageSources(dirs, runs)
	if err != nil {
		return nil, err
	}
	return page.New(sources, bench, page.Words{}), nil
}
