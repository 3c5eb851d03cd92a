package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/files"
)

// ConfigurationFile is the file of a run folder that holds its Configuration.
const ConfigurationFile = "configuration.json"

// Configuration is all that changes what a run comes to, as far as the command line and
// the data say it. Its hash names the default run folder, so that another configuration
// has another folder. What the parts of the grid have in common is Settings: a folder can
// be extended by parts, never by other settings.
type Configuration struct {
	Benchmark  string            `json:"benchmark"`
	DataHash   string            `json:"data_sha256"`
	Settings   map[string]string `json:"settings"`
	Retrievers []Retriever       `json:"retrievers"`
	Generators []string          `json:"generators"`
	Judges     []string          `json:"judges"`
	Answers    []Given           `json:"answers,omitempty"`
	Systems    []Given           `json:"systems,omitempty"`

	// Prompts are the versions of the prompt for answers. None: lore's own alone.
	Prompts []AnswerPrompt `json:"prompts,omitempty"`
}

// Retriever is a pipeline with the hash of the files it names.
type Retriever struct {
	pipeline.Pipeline
	Files string `json:"files_sha256,omitempty"`
}

// Given is a system of people's own: answers in a file, or a service.
type Given struct {
	Name   string   `json:"name"`
	File   string   `json:"file,omitempty"`
	More   []string `json:"more_files,omitempty"` // of the same system
	SHA256 string   `json:"sha256"`               // of the answers, or of what the service is asked, without secrets
}

// Configure says what a command comes to.
func Configure(bench datasets.Benchmark, ds *datasets.Dataset, opt Options) (Configuration, error) {
	c := Configuration{
		Benchmark:  bench.Name(),
		DataHash:   ds.Hash,
		Settings:   settingsOf(opt),
		Generators: slices.Clone(opt.Generators),
		Judges:     opt.Judges,
	}
	for _, p := range opt.Retrievers {
		c.Retrievers = append(c.Retrievers, Retriever{p, filesHash(p.Paths())})
	}
	if b := opt.BERTScore; b != nil {
		c.Settings["bertscore files"] = filesHash([]string{b.Dir, b.Baseline})
	}

	for _, a := range opt.Answers {
		if a.isGold() {
			c.Generators = append(c.Generators, Gold)
			continue
		}
		g, err := a.given()
		if err != nil {
			return c, err
		}
		c.Answers = append(c.Answers, g)
	}
	c.Systems = asked(opt.Models.Systems)
	return c, c.addPrompts(bench, opt.Prompts)
}

// Hash is the SHA-256 of all that the configuration says, in hexadecimal. The places of
// files are not in it, only what they hold.
func (c Configuration) Hash() string {
	c.Answers = slices.Clone(c.Answers)
	for i := range c.Answers {
		c.Answers[i].File, c.Answers[i].More = "", nil
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return hashOf(data)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// asked are the systems that answer by themselves, by what they are asked. A mended rule by
// which their replies are read makes no other run: the same answers are read again.
func asked(systems models.Systems) []Given {
	var out []Given
	for i, name := range systems.Names() {
		out = append(out, Given{Name: name, SHA256: hashOf([]byte(systems.Asks(systems.URLs[i])))})
	}
	return out
}

// isGold reports whether the answers are the data's own references.
func (a Answers) isGold() bool { return a.Generator == Gold && a.File == goldFile }

// given names the answers, and hashes them with what was measured of them.
func (a Answers) given() (Given, error) {
	data, err := json.Marshal(a.Outputs)
	if err != nil {
		return Given{}, fmt.Errorf("hash the answers of %s: %w", a.File, err)
	}
	return Given{Name: a.Retriever + " " + a.Generator, File: a.File, More: a.More, SHA256: hashOf(data)}, nil
}

// wholeFile is the size in bytes up to which a file in a folder is hashed whole. Of
// weights the name and size do.
const wholeFile = 4 << 20

// filesHash hashes the files and folders among paths; other names, such as those of models
// on a server, are left out. Empty where there is none.
func filesHash(paths []string) string {
	h := sha256.New()
	some := false
	for _, root := range paths {
		if root == "" {
			continue
		}
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // whoever opens the file says what is wrong with it
			}
			info, err := os.Stat(path)
			if err != nil {
				return nil
			}

			some = true
			rel, _ := filepath.Rel(root, path)
			fmt.Fprintf(h, "%s %d\n", rel, info.Size())
			if info.Size() <= wholeFile || path == root {
				if data, err := files.ReadFile(path); err == nil {
					fmt.Fprintln(h, hashOf(data))
				}
			}
			return nil
		})
	}
	if !some {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ReadConfiguration reads that of a run folder.
func ReadConfiguration(dir string) (Configuration, error) {
	var c Configuration
	err := store.ReadJSON(dir, ConfigurationFile, &c)
	if err == nil && (c.Benchmark == "" || c.DataHash == "") {
		err = store.Damaged(dir, ConfigurationFile, "", "is damaged: it has no benchmark, or no data")
	}
	return c, err
}

// Extend adds what the folder holds already to what a command asks for: a folder is one
// grid, and all of it is made again, from the journal. A folder that was made with other
// settings is refused. One with damaged files is told of, and written anew.
func Extend(folder *store.Folder, mine Configuration, bench datasets.Benchmark, ds *datasets.Dataset, opt Options) (
	Options, error) {
	if err := folder.Check(store.Manifest{Benchmark: mine.Benchmark, DataHash: mine.DataHash}); err != nil {
		return opt, usage.Errorf("%v", err)
	}
	old, err := earlier(folder.Dir(), mine, opt.Console)
	if old == nil || err != nil {
		return opt, err
	}

	if diff := mine.differs(*old); len(diff) > 0 {
		return opt, usage.Errorf("%s holds another run, which this one would overwrite: %s; choose another folder "+
			"with --out, or leave it out: then every configuration has a folder of its own",
			folder.Dir(), strings.Join(diff, "; "))
	}
	return mine.join(*old, bench, ds, opt, folder.Dir())
}

// Holds reports whether a folder holds a run of what is asked for, and perhaps of more.
func Holds(dir string, asked Configuration) bool {
	old, err := ReadConfiguration(dir)
	return err == nil && len(asked.differs(old)) == 0
}

// Retake refuses a folder that holds anything but an earlier run of the same watch, which the next one
// replaces: other items, and another version of the prompts.
func Retake(dir string, mine Configuration) error {
	old, err := ReadConfiguration(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return orphaned(dir)
	}
	if err != nil {
		return usage.Errorf("%v; choose another folder with --out", err)
	}

	common := func(c Configuration) Configuration {
		c.Settings = maps.Clone(c.Settings)
		for _, key := range []string{"only items", "subset", "limit"} {
			delete(c.Settings, key)
		}
		c.Prompts = nil
		return c
	}
	mine, old = common(mine), common(old)
	if diff := append(mine.differs(old), mine.lacks(old)...); len(diff) > 0 {
		return usage.Errorf("%s holds another run, which this watch would overwrite: %s; choose another folder with --out, "+
			"or leave it out", dir, strings.Join(diff, "; "))
	}
	return nil
}

// join puts what is old before what is asked for.
func (c Configuration) join(old Configuration, bench datasets.Benchmark, ds *datasets.Dataset, opt Options,
	dir string) (Options, error) {
	var err error
	if opt.Answers, err = mergeAnswers(old, bench, ds, opt.Answers); err != nil {
		return opt, err
	}
	opt.Retrievers = nil
	for _, r := range union(old.Retrievers, c.Retrievers, Retriever.name) {
		opt.Retrievers = append(opt.Retrievers, r.Pipeline)
	}
	opt.Generators = union(old.Generators, c.Generators, itself)
	opt.Generators = slices.DeleteFunc(opt.Generators, func(g string) bool { return g == Gold })
	opt.Judges = union(old.Judges, c.Judges, itself)
	opt.Prompts = c.joinPrompts(old, bench, opt.Prompts)
	opt.Judging.Pair = cmp.Or(opt.Judging.Pair, old.Settings[pairSetting])
	opt.Models.Systems.URLs = sortSystems(old, opt.Models.Systems)

	if kept := c.lacks(old); len(kept) > 0 {
		opt.Console.Note(fmt.Sprintf("%s is extended: it also has %s, and the table shows the whole grid; "+
			"finished calls come from its journal", dir, strings.Join(kept, "; ")))
	}
	return opt, pipeline.Check(opt.Retrievers)
}

func (r Retriever) name() string { return r.Name }
func (g Given) name() string     { return g.Name }
func itself(s string) string     { return s }

// union lists what is old, then what is new, by name.
func union[T any](old, added []T, name func(T) string) []T {
	out := slices.Clone(old)
	for _, a := range added {
		if !slices.ContainsFunc(old, func(o T) bool { return name(o) == name(a) }) {
			out = append(out, a)
		}
	}
	return out
}

// differs words what keeps two configurations from being parts of one folder.
func (c Configuration) differs(old Configuration) []string {
	var out []string
	if c.Benchmark != old.Benchmark {
		out = append(out, fmt.Sprintf("the benchmark is %s there and %s here", old.Benchmark, c.Benchmark))
	}
	if c.DataHash != old.DataHash {
		out = append(out, "it is over other data")
	}
	for _, key := range Keys(c.Settings, old.Settings) {
		if key == pairSetting && sameRule(c, old) {
			continue
		}
		if here, there := c.Settings[key], old.Settings[key]; here != there {
			out = append(out, fmt.Sprintf("%s is %s there and %s here", settingName(key), word(there), word(here)))
		}
	}

	for _, r := range c.Retrievers {
		for _, o := range old.Retrievers {
			if r.Name == o.Name && hashOf(mustJSON(r)) != hashOf(mustJSON(o)) {
				out = append(out, fmt.Sprintf("the retriever %s is made otherwise, or of other files", r.Name))
			}
		}
	}
	for _, p := range c.Prompts {
		for _, o := range old.Prompts {
			if p.Name == o.Name && p.SHA256 != o.SHA256 {
				out = append(out, fmt.Sprintf("the prompts %s ask for answers otherwise now than there", p.Name))
			}
		}
	}
	for _, a := range c.Answers {
		for _, o := range old.Answers {
			if a.Name == o.Name && a.SHA256 != o.SHA256 {
				out = append(out, fmt.Sprintf("%s gives other answers of %q", a.File, a.Name))
			}
		}
	}

	// Their secrets are not kept, so that they cannot be asked again unless they are named.
	for _, o := range old.Systems {
		switch {
		case slices.ContainsFunc(c.Systems, func(s Given) bool { return s.SHA256 == o.SHA256 }):
		case slices.ContainsFunc(c.Systems, func(s Given) bool { return s.Name == o.Name }):
			out = append(out, fmt.Sprintf("the system %s is asked otherwise", o.Name))
		default:
			out = append(out, fmt.Sprintf("it has answers of a system at %s: name it again with --system", o.Name))
		}
	}
	return out
}

// pairSetting says how judges that are several work together.
const pairSetting = "judging pair"

// sameRule reports whether two configurations have the same rule for several judges, or one of them has
// no such judges, and the other needs no calibration that it lacks.
func sameRule(a, b Configuration) bool {
	x, y := a.Settings[pairSetting], b.Settings[pairSetting]
	none := func(c Configuration) bool {
		pair := func(name string) bool { return strings.Contains(name, "+") }
		return c.Settings[pairSetting] == "" && !slices.ContainsFunc(c.Judges, pair)
	}
	return x == y || (none(a) || none(b)) && !strings.HasPrefix(x+y, "calibrated")
}

// Keys lists the keys of several maps, sorted, each once.
func Keys(of ...map[string]string) []string {
	all := map[string]string{}
	for _, m := range of {
		maps.Copy(all, m)
	}
	return slices.Sorted(maps.Keys(all))
}

// settingName is a setting as a message names it: a flag of the benchmark by its dashes.
func settingName(key string) string {
	if flag, ok := strings.CutPrefix(key, "bench "); ok {
		return "--" + strings.ReplaceAll(flag, " ", "-")
	}
	return key
}

func word(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return data
}

// lacks words what the older configuration has that this one does not name.
func (c Configuration) lacks(old Configuration) []string {
	var out []string
	add := func(what string, old, mine []string) {
		more := slices.DeleteFunc(slices.Clone(old), func(n string) bool { return slices.Contains(mine, n) })
		if len(more) > 0 {
			out = append(out, what+" "+strings.Join(more, ", "))
		}
	}
	add("the retrievers", names(old.Retrievers, Retriever.name), names(c.Retrievers, Retriever.name))
	add("the generators", old.Generators, c.Generators)
	add("the prompts", names(old.versions(), AnswerPrompt.name), names(c.versions(), AnswerPrompt.name))
	add("the judges", old.Judges, c.Judges)
	add("the answers of", names(old.Answers, Given.name), names(c.Answers, Given.name))
	return out
}

func names[T any](of []T, name func(T) string) []string {
	out := make([]string, len(of))
	for i, x := range of {
		out[i] = name(x)
	}
	return out
}

// mergeAnswers reads the answers that the folder has besides those given: the data's own
// references first, as in one command.
func mergeAnswers(old Configuration, bench datasets.Benchmark, ds *datasets.Dataset, given []Answers) (
	[]Answers, error) {
	var out []Answers
	gold := slices.IndexFunc(given, Answers.isGold)
	switch {
	case gold >= 0:
		out = append(out, given[gold])
	case slices.Contains(old.Generators, Gold):
		a, err := GoldAnswers(ds)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}

	isNamed := func(name string) func(Answers) bool {
		return func(a Answers) bool { return !a.isGold() && a.Retriever+" "+a.Generator == name }
	}
	for _, o := range old.Answers {
		if i := slices.IndexFunc(given, isNamed(o.Name)); i >= 0 {
			out = append(out, given[i])
			continue
		}
		a, err := ReadAnswers(slices.Concat([]string{o.File}, o.More), bench, ds)
		if err != nil {
			return nil, err
		}
		if name, ok := strings.CutPrefix(o.Name, outside+" "); ok {
			a.Name(name)
		}
		now, err := a.given()
		if err != nil {
			return nil, err
		}
		if now.SHA256 != o.SHA256 {
			return nil, usage.Errorf("%s has changed since its answers were judged; choose another folder with --out",
				o.File)
		}
		out = append(out, a)
	}

	for _, a := range given {
		name := a.Retriever + " " + a.Generator
		known := slices.ContainsFunc(old.Answers, func(o Given) bool { return o.Name == name })
		if !a.isGold() && !known {
			out = append(out, a)
		}
	}
	return out, nil
}

// sortSystems puts the systems that the folder has first, in its order.
func sortSystems(old Configuration, systems models.Systems) []string {
	place := func(u string) int {
		i := slices.IndexFunc(old.Systems, func(o Given) bool { return o.SHA256 == hashOf([]byte(systems.Asks(u))) })
		if i < 0 {
			return len(old.Systems)
		}
		return i
	}
	out := slices.Clone(systems.URLs)
	slices.SortStableFunc(out, func(a, b string) int { return place(a) - place(b) })
	return out
}
