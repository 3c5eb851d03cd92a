package accept

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// Parts of what a system was measured by, in messages.
const (
	judgePart   = "the judge "
	promptPart  = "the judge's prompt "
	settingPart = "the setting "
	readingPart = "how citations are read"
	together    = "judges together" // a setting, of several judges that work as one
	calibration = "calibration"     // a setting of judges
)

// judgePrompts is where the prompts of judges lie. Those that systems are asked by may differ:
// they are what is compared.
const judgePrompts = "judge/"

// measured is all that the values of a system hang on but the system: the judge with its
// model and prompts, the settings of the benchmark, the language. Two subjects can be compared
// only where it is the same.
func measured(r report.Run, by string, bench datasets.Benchmark) map[string]string {
	m := r.Manifest
	out := map[string]string{readingPart: r.Table.Reading}
	judges := judgesOf(m, by)
	for _, j := range judges {
		out[judgePart+j.Name] = identity(j)
	}
	prompted := slices.ContainsFunc(judges, func(j store.Model) bool { return j.Mode != "" })
	for name, hash := range m.Prompts {
		if prompted && strings.HasPrefix(name, judgePrompts) {
			out[promptPart+name] = "SHA-256 " + hash[:min(shortHash, len(hash))]
		}
	}
	for _, name := range []string{"language", "cut", together, calibration, "bertscore"} {
		if v, ok := m.Settings[name]; ok && (name != together || len(judges) > 1) {
			out[settingPart+name] = plain(v)
		}
	}

	given, _ := m.Settings["benchmark"].(map[string]any)
	for name, v := range given {
		if !ofSystem(bench, name) && plain(v) != "" {
			out[settingPart+"--"+name] = plain(v)
		}
	}
	return out
}

// Otherwise says what the values of a run and of another hang on that differs, of those that one judge gave in both:
// the judge's model, prompt or settings, those of the benchmark, how citations are read. There is nothing to say
// where it judged in one of them alone.
func Otherwise(run, other report.Run, by string, bench datasets.Benchmark) []string {
	return differences(measured(run, by, bench), measured(other, by, bench))
}

// Alike says what the values of a run hang on besides the system: those of a judge, and those that need none. Runs
// whose texts are equal were measured alike.
func Alike(r report.Run, by string, bench datasets.Benchmark) (judged, free string) {
	all := measured(r, by, bench)
	judged = plain(all)
	for key := range all {
		ofJudge := strings.HasPrefix(key, judgePart) || strings.HasPrefix(key, promptPart)
		if ofJudge || key == settingPart+together || key == settingPart+calibration {
			delete(all, key)
		}
	}
	return judged, plain(all)
}

// Contestants lists the rows of several runs of a benchmark for tests between those that were measured alike.
func Contestants(names []string, runs []report.Run, bench datasets.Benchmark) []table.Contestant {
	tables := make([]table.Table, len(runs))
	for i, r := range runs {
		tables[i] = r.Table
	}
	out := table.Contestants(names, tables)
	for i := range out {
		out[i].Measured, out[i].Free = Alike(runs[out[i].Run], out[i].Row.Judge, bench)
	}
	return out
}

// judgesOf are the models behind a judge: one, or its parts where several work together.
func judgesOf(m store.Manifest, by string) []store.Model {
	parts := strings.Split(by, "+")
	mine := slices.DeleteFunc(slices.Clone(m.Judges), func(j store.Model) bool {
		return j.Name != by && !slices.Contains(parts, j.Name)
	})
	if len(mine) == 0 {
		return m.Judges
	}
	return mine
}

// identity is what makes a judge this one. The context window is left out, which follows the longest
// prompt, and the seed: a judge is asked without chance.
func identity(j store.Model) string {
	parts := []string{"digest " + j.Digest[:min(shortHash, len(j.Digest))]}
	if j.Mode != "" {
		parts = append(parts, "mode "+j.Mode)
	}
	if j.Options != nil {
		o := *j.Options
		o.NumCtx, o.Seed = 0, 0
		parts = append(parts, plain(o))
	}
	if j.Encoder != nil {
		parts = append(parts, "encoder "+hashOf(plain(j.Encoder)))
	}
	if j.Thresholds != nil {
		parts = append(parts, plain(j.Thresholds))
	}
	return strings.Join(parts, ", ")
}

// plain is a value as one text.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// ofSystem reports whether a setting of a benchmark belongs to the system under test.
func ofSystem(bench datasets.Benchmark, name string) bool {
	c, ok := bench.(datasets.Configurable)
	return ok && slices.ContainsFunc(c.Settings(), func(s datasets.Setting) bool { return s.Name == name && s.System })
}

// Comparable refuses a baseline that says nothing of the run: another benchmark, other data,
// another judge or other settings of how is measured, or no item of both. Warnings are
// what may matter.
func Comparable(run, baseline Subject) (warnings []string, err error) {
	refuse := func(format string, args ...any) error {
		return usage.Errorf("%s cannot be the baseline of %s: %s", baseline.From, run.From, fmt.Sprintf(format, args...))
	}
	switch {
	case run.Benchmark != baseline.Benchmark:
		return nil, refuse("it is of the benchmark %s, the run of %s", baseline.Benchmark, run.Benchmark)
	case run.DataHash != baseline.DataHash:
		return nil, refuse("it is over other data (SHA-256 %.8s there, %.8s here); make a new baseline with --save-baseline",
			baseline.DataHash, run.DataHash)
	case run.Judge != baseline.Judge:
		return nil, refuse("it was judged by %s, the run by %s; no two judges have the same scale", baseline.Judge, run.Judge)
	}

	if diff := differences(run.Measured, baseline.Measured); len(diff) > 0 {
		return nil, refuse("it was measured otherwise: %s; make a new baseline with --save-baseline", strings.Join(diff, "; "))
	}
	before := baseline.byID()
	if !slices.ContainsFunc(run.Items, func(it Item) bool { _, ok := before[it.ID]; return ok }) {
		return nil, refuse("they share no items")
	}

	if run.Lore != baseline.Lore {
		warnings = append(warnings, fmt.Sprintf("lore %s made the baseline and lore %s the run: "+
			"CHANGELOG.md says which figures changed", baseline.Lore, run.Lore))
	}
	return warnings, nil
}

// reading is how citations are read, of the sentence that says so.
func reading(sentence string) string {
	if sentence == "" {
		return "nobody knows how"
	}
	return strconv.Quote(strings.TrimSuffix(strings.TrimPrefix(sentence, "Citations are read "), "."))
}

// differences words what two subjects were not measured alike by.
func differences(run, baseline map[string]string) []string {
	all := maps.Clone(run)
	maps.Copy(all, baseline)
	word := func(m map[string]string, key string) string {
		if m[key] == "" {
			return "not set"
		}
		return m[key]
	}

	var out []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		switch {
		case run[key] == baseline[key]:
		case key == readingPart:
			out = append(out, fmt.Sprintf("citations were read by different rules: there %s, here %s",
				reading(baseline[key]), reading(run[key])))
		default:
			out = append(out, fmt.Sprintf("%s is %s there and %s here", key, word(baseline, key), word(run, key)))
		}
	}
	return out
}
