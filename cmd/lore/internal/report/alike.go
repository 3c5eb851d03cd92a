package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
)

// Parts of what a system was measured by, in messages.
const (
	judgePart   = "the judge "
	promptPart  = "the judge's prompt "
	settingPart = "the setting "
	ReadingPart = "how citations are read"
	together    = "judges together" // a setting, of several judges that work as one
	calibration = "calibration"     // a setting of judges
)

// judgePrompts is where the prompts of judges lie. Those that systems are asked by may differ:
// they are what is compared.
const judgePrompts = "judge/"

// Measured is all that the values of a system hang on but the system: the judge with its
// model and prompts, the settings of the benchmark, the language. Two subjects can be compared
// only where it is the same.
func Measured(r Run, by string, bench datasets.Benchmark) map[string]string {
	m := r.Manifest
	out := map[string]string{ReadingPart: r.Table.Reading}
	judges := judgeModels(m, by)
	for _, j := range judges {
		out[judgePart+j.Name] = identity(j)
	}
	prompted := slices.ContainsFunc(judges, func(j store.Model) bool { return j.Mode != "" })
	for name, hash := range m.Prompts {
		if prompted && strings.HasPrefix(name, judgePrompts) {
			out[promptPart+name] = "SHA-256 " + hash[:min(measuredHash, len(hash))]
		}
	}
	for _, name := range []string{"language", "cut", together, calibration, "bertscore"} {
		if v, ok := m.Settings[name]; ok && (name != together || len(judges) > 1) {
			out[settingPart+name] = plainValue(v)
		}
	}

	given, _ := m.Settings["benchmark"].(map[string]any)
	for name, v := range given {
		if !ofSystem(bench, name) && plainValue(v) != "" {
			out[settingPart+"--"+name] = plainValue(v)
		}
	}
	return out
}

// Otherwise says what the values of a run and of another hang on that differs, of those that one judge gave in both:
// the judge's model, prompt or settings, those of the benchmark, how citations are read. There is nothing to say
// where it judged in one of them alone.
func Otherwise(run, other Run, by string, bench datasets.Benchmark) []string {
	return Differing(Measured(run, by, bench), Measured(other, by, bench))
}

// Alike says what the values of a run hang on besides the system: those of a judge, and those that need none. Runs
// whose texts are equal were measured alike.
func Alike(r Run, by string, bench datasets.Benchmark) (judged, free string) {
	all := Measured(r, by, bench)
	judged = plainValue(all)
	for key := range all {
		ofJudge := strings.HasPrefix(key, judgePart) || strings.HasPrefix(key, promptPart)
		if ofJudge || key == settingPart+together || key == settingPart+calibration {
			delete(all, key)
		}
	}
	return judged, plainValue(all)
}

// Contestants lists the rows of several runs of a benchmark for tests between those that were measured alike.
func Contestants(names []string, runs []Run, bench datasets.Benchmark) []table.Contestant {
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

// judgeModels are the models behind a judge: one, or its parts where several work together.
func judgeModels(m store.Manifest, by string) []store.Model {
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
	parts := []string{"digest " + j.Digest[:min(measuredHash, len(j.Digest))]}
	if j.Mode != "" {
		parts = append(parts, "mode "+j.Mode)
	}
	if j.Options != nil {
		o := *j.Options
		o.NumCtx, o.Seed = 0, 0
		parts = append(parts, plainValue(o))
	}
	if j.Encoder != nil {
		parts = append(parts, "encoder "+measuredSum(plainValue(j.Encoder)))
	}
	if j.Thresholds != nil {
		parts = append(parts, plainValue(j.Thresholds))
	}
	return strings.Join(parts, ", ")
}

// measuredHash is how many hexadecimal digits name what values hang on: enough that two never share them.
const measuredHash = 16

func measuredSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:measuredHash]
}

// plainValue is a value as one text.
func plainValue(v any) string {
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

// reading is how citations are read, of the sentence that says so.
func reading(sentence string) string {
	if sentence == "" {
		return "nobody knows how"
	}
	return strconv.Quote(strings.TrimSuffix(strings.TrimPrefix(sentence, "Citations are read "), "."))
}

// Differing words what two subjects were not measured alike by.
func Differing(run, baseline map[string]string) []string {
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
		case key == ReadingPart:
			out = append(out, fmt.Sprintf("citations were read by different rules: there %s, here %s",
				reading(baseline[key]), reading(run[key])))
		default:
			out = append(out, fmt.Sprintf("%s is %s there and %s here", key, word(baseline, key), word(run, key)))
		}
	}
	return out
}
