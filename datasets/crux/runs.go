package crux

import (
	"cmp"
	"fmt"
	"maps"
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
type ranking struct {
	all, there []string
	of         int // passages that were released, in a run of an import; else 0
}

// runLine is a line of a TREC run.
type runLine struct {
	topic, passage string
	score          float64
	rank, of       int // place among so many passages that were released for the topic; of is 0 where nobody says
}

// readRunLines reads a TREC run in the order of the file.
func readRunLines(file string) ([]runLine, error) {
	data, err := files.Read(file, "check its permissions")
	if err != nil {
		return nil, err
	}
	return parseRun(file, data)
}

// runForm is how a TREC run is written.
const runForm = "a line of a run has a topic, Q0, a passage, a rank, a score and a name"

func parseRun(file string, data []byte) ([]runLine, error) {
	var out []runLine
	seen := map[[2]string]bool{}
	err := files.EachLine(data, func(place string, line []byte) error {
		fields := strings.Fields(string(line))
		bad := func(format string, args ...any) error {
			return &datasets.InputError{File: file, Place: place, Msg: fmt.Sprintf(format, args...),
				Remedy: runForm}
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
		l := runLine{topic: fields[0], passage: fields[2], score: score}
		if _, of, marked := strings.Cut(fields[5], releasedMark); marked {
			l.rank, l.of = numberOr0(fields[3]), numberOr0(of)
			if l.rank < 1 || l.rank > l.of {
				return bad("has the rank %s of %s released passages", fields[3], of)
			}
		}
		out = append(out, l)
		return nil
	})
	return out, err
}

// releasedMark stands in the name of a run that an import wrote, before the number of passages that were released
// for the topic. Ranks are those of the release, and what is not there leaves gaps in them.
const releasedMark = "#of="

// numberOr0 is a whole number, and 0 of anything else.
func numberOr0(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
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

	for i, file := range out {
		if at := slices.IndexFunc(out[:i], func(o string) bool { return files.Same(o, file) }); at >= 0 {
			return nil, datasets.Usagef("--run has one file twice: %s and %s; name it once", out[at], file)
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
			if len(lines) == 0 {
				return nil, &datasets.InputError{File: f, Msg: "is empty", Remedy: runForm}
			}
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

// runDoubts warn of runs whose means are not over the topics of the others, and of contexts that are smaller than
// what was asked for, as the run ends before.
func runDoubts(ds *datasets.Dataset, runs []recordedRun, sizes []Size) []string {
	var fewer, shorter []string
	topics := map[string]bool{}
	for _, r := range runs {
		topics[strings.Join(slices.Sorted(maps.Keys(r.topics)), " ")] = true
		if len(r.topics) < len(ds.Items) {
			fewer = append(fewer, fmt.Sprintf("%s (%d)", r.name, len(r.topics)))
		}
		if deepest := r.deepest(); deepest < int(slices.Max(sizes)) {
			shorter = append(shorter, fmt.Sprintf("%s (%d)", r.name, deepest))
		}
	}

	var out []string
	if len(fewer) > 0 {
		said := fmt.Sprintf("not all %d topics are ranked by: %s; each mean is over the topics that the run has",
			len(ds.Items), datasets.Some(fewer))
		if len(topics) > 1 {
			said += ", so that these figures and those of the other runs, their spread and τ are over different topics"
		}
		out = append(out, said)
	}
	if len(shorter) > 0 {
		out = append(out, fmt.Sprintf("k %s is more passages than are ranked for any topic by: %s; their contexts hold what there is",
			slices.Max(sizes), datasets.Some(shorter)))
	}
	return out
}

// deepest is the most passages that the run ranks for a topic.
func (r recordedRun) deepest() int {
	most := 0
	for _, ranked := range r.topics {
		most = max(most, len(ranked.all))
	}
	return most
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
		r.of = l.of
		r.absentTo(l.rank - 1)
		r.all = append(r.all, id)
		if there.passage(id) {
			r.there = append(r.there, id)
		}
		out.topics[topic] = r
	}

	for topic, r := range out.topics {
		r.absentTo(r.of)
		out.topics[topic] = r
		out.passages, out.there = out.passages+len(r.all), out.there+len(r.there)
	}
	return out
}

// absentTo fills an import's ranking up to a rank with passages that are not there.
func (r *ranking) absentTo(rank int) {
	for len(r.all) < rank {
		r.all = append(r.all, fmt.Sprintf("not there %d", len(r.all)+1))
	}
}

// write writes the passages that are there as a TREC run, in the order of their scores, with their ranks in the
// release. Colons, which mean something in the names of retrievers, become underscores in its name.
func (r recordedRun) write(dir string, topics []Topic) error {
	name := strings.ReplaceAll(r.name, ":", "_")
	tag := strings.Join(strings.Fields(name), "_")
	var out strings.Builder
	for _, t := range topics {
		ranked := r.topics[t.ID]
		ranks := map[string]int{}
		for i, id := range ranked.all {
			ranks[id] = i + 1
		}
		for i, id := range ranked.there {
			fmt.Fprintf(&out, "%s Q0 %s %d %d %s%s%d\n", t.ID, id, ranks[id], len(ranked.there)-i, tag, releasedMark, len(ranked.all))
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
