package crux

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// recordedRun is a TREC run, read against the passages of a dataset.
type recordedRun struct {
	name     string
	topics   map[string]ranking // by topic of the data
	passages int                // that the run ranks for these topics
	there    int                // of them, those that the data has
}

// ranking is a run's order of a topic. all has every passage at its rank; there has those of the
// data alone, closed up.
type ranking struct{ all, there []string }

// runLine is a line of a TREC run.
type runLine struct {
	topic, passage string
	score          float64
}

// readRunLines reads a TREC run in the order of the file.
func readRunLines(file string) ([]runLine, error) {
	data, err := files.Read(file, "check its permissions")
	if err != nil {
		return nil, err
	}
	return parseRun(file, data)
}

func parseRun(file string, data []byte) ([]runLine, error) {
	var out []runLine
	seen := map[[2]string]bool{}
	err := files.EachLine(data, func(place string, line []byte) error {
		fields := strings.Fields(string(line))
		bad := func(format string, args ...any) error {
			return &datasets.InputError{File: file, Place: place, Msg: fmt.Sprintf(format, args...),
				Remedy: "a line of a run has a topic, Q0, a passage, a rank, a score and a name"}
		}
		if len(fields) != 6 {
			return bad("has %d fields", len(fields))
		}
		score, err := strconv.ParseFloat(fields[4], 64)
		if err != nil || math.IsNaN(score) {
			return bad("has the score %q, which is no number", fields[4])
		}

		key := [2]string{fields[0], fields[2]}
		if seen[key] {
			return bad("ranks the passage %q of topic %s again", fields[2], fields[0])
		}
		seen[key] = true
		out = append(out, runLine{fields[0], fields[2], score})
		return nil
	})
	return out, err
}

// readRun reads the passages of a TREC run by topic, in the order of the file.
func readRun(file string) (map[string][]string, error) {
	lines, err := readRunLines(file)
	out := map[string][]string{}
	for _, l := range lines {
		out[l.topic] = append(out[l.topic], l.passage)
	}
	return out, err
}

// isRun tells a run by its name.
func isRun(name string) bool {
	return slices.Contains([]string{".run", ".trec"}, strings.ToLower(path.Ext(name)))
}

// runFiles are the files that --run names: files themselves, and the runs below folders.
func runFiles(list string) ([]string, error) {
	var out []string
	for p := range strings.SplitSeq(list, ",") {
		p = strings.TrimSpace(p)
		if p == "" {
			return nil, datasets.Usagef("--run has an empty name: %q", list)
		}
		folder, err := files.IsFolder(p, "give TREC runs, or folders that hold some")
		if err != nil {
			return nil, err
		}
		if !folder {
			out = append(out, p)
			continue
		}

		names, err := files.Below(p)
		if err != nil {
			return nil, err
		}
		names = slices.DeleteFunc(names, func(n string) bool { return !isRun(n) })
		if len(names) == 0 {
			return nil, &datasets.InputError{File: p, Msg: "holds no run", Remedy: "a run's name ends in .run or .trec"}
		}
		slices.SortFunc(names, func(a, b string) int {
			return cmp.Or(strings.Compare(path.Base(a), path.Base(b)), strings.Compare(a, b))
		})
		for _, n := range names {
			out = append(out, filepath.Join(p, filepath.FromSlash(n)))
		}
	}
	return out, nil
}

// named says which topics and passages there are.
type named struct{ topic, passage func(id string) bool }

func namesIn(ds *datasets.Dataset) named {
	topics := map[string]bool{}
	for _, it := range ds.Items {
		topics[it.ID()] = true
	}
	return named{func(id string) bool { return topics[id] }, ds.Corpora[0].Has}
}

// readRuns reads runs against a dataset. Two files of one name keep their paths as names.
func readRuns(ds *datasets.Dataset, list []string) ([]recordedRun, error) {
	taken := map[string]int{}
	for _, f := range list {
		taken[runName(f)]++
	}

	var out []recordedRun
	for _, f := range list {
		lines, err := readRunLines(f)
		if err != nil {
			return nil, err
		}
		r := placeRun(lines, namesIn(ds))
		if r.there == 0 {
			msg := "ranks no passage of the data"
			if r.passages == 0 {
				msg = "ranks nothing for any topic of the data"
			}
			return nil, &datasets.InputError{File: f, Msg: msg, Remedy: fmt.Sprintf("topics are called like %s, and passages like %s",
				ds.Items[0].ID(), ds.Corpora[0].Documents[0].ID)}
		}
		if r.name = runName(f); taken[r.name] > 1 {
			r.name = f
		}
		out = append(out, r)
	}
	return out, nil
}

// runName is a run's file without folder and ending.
func runName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// placeRun orders the lines of a run by score, equal ones as in the file: trec_eval's 32-bit scores
// would tie the reranked runs of the release, whose files are in order. Ids may be the study's.
func placeRun(lines []runLine, there named) recordedRun {
	slices.SortStableFunc(lines, func(a, b runLine) int { return cmp.Compare(b.score, a.score) })

	out := recordedRun{topics: map[string]ranking{}}
	for _, l := range lines {
		topic, id := own(l.topic, there.topic), own(l.passage, there.passage)
		if !there.topic(topic) {
			continue
		}
		r := out.topics[topic]
		r.all = append(r.all, id)
		out.passages++
		if there.passage(id) {
			r.there = append(r.there, id)
			out.there++
		}
		out.topics[topic] = r
	}
	return out
}

// write writes the passages that are there as a TREC run, whose scores fall by one a rank. Colons,
// which mean something in the names of retrievers, become underscores in its name.
func (r recordedRun) write(dir string, topics []Topic) error {
	name := strings.ReplaceAll(r.name, ":", "_")
	var out strings.Builder
	for _, t := range topics {
		ids := r.topics[t.ID].there
		for i, id := range ids {
			fmt.Fprintf(&out, "%s Q0 %s %d %d %s\n", t.ID, id, i+1, len(ids)-i, strings.Join(strings.Fields(name), "_"))
		}
	}
	return files.WriteFile(filepath.Join(dir, name+".trec"), []byte(out.String()))
}

// own is an id as the data has it: as it stands, or else as the rest of the release calls it.
func own(id string, has func(string) bool) string {
	if has(id) {
		return id
	}
	return usualID(id)
}
