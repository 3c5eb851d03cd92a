package summhay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/local"
)

// summaryPrefix begins every key of a recorded summary.
const summaryPrefix = "summary_subtopic_"

// recordedLabels are the labels of recorded verdicts and of human annotation.
var recordedLabels = map[string]string{
	"FULL_COVERAGE": judge.Full, "PARTIAL_COVERAGE": judge.Partial, "NO_COVERAGE": judge.None,
	"fully_covered": judge.Full, "partially_covered": judge.Partial, "not_covered": judge.None,
}

// Recorded returns the systems whose summaries the haystacks hold, with the
// verdicts that came with them.
//
// A covered insight whose bullet_id is not a number is linked to the bullet before
// the last, and a number counts from the end if it is below 1, because that is
// what the released script's indexing does (it takes element bullet_id − 1, and −2
// for a missing one). A number beyond the last bullet has no citation: the script
// fails there, lore counts it as unscored.
func Recorded(ds *datasets.Dataset) []datasets.Recorded {
	names := map[string]bool{}
	for _, it := range ds.Items {
		for key := range it.(*item).subtopic.Summaries {
			names[strings.TrimPrefix(key, summaryPrefix)] = true
		}
	}

	var out []datasets.Recorded
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out = append(out, recorded(ds, name))
	}
	return out
}

func recorded(ds *datasets.Dataset, name string) datasets.Recorded {
	r := datasets.Recorded{Name: name, System: splitName(ds, name)}
	missing, relinked, foreign, doubled := 0, 0, 0, 0
	long := false // an answer is longer than asked: the recorded verdicts are not on what was asked
	for _, it := range ds.Items {
		it := it.(*item)
		lines, ok := it.subtopic.Summaries[summaryPrefix+name]
		if !ok {
			lines, ok = it.subtopic.Summaries[name]
		}

		out := datasets.Output{Text: strings.Join(lines, "\n"), Outcome: local.OK, Recorded: true}
		if !ok {
			missing++
			out.Outcome, out.Reason = local.Empty, "the data has no summary of this system"
		}
		r.Outputs = append(r.Outputs, out)

		read := it.read(out)
		_, differs := it.asAsked(read)
		long = long || differs
		verdicts, odd := it.recordedVerdicts(name, len(read))
		relinked += odd.relinked
		foreign += odd.foreign
		doubled += odd.doubled
		r.Verdicts = append(r.Verdicts, datasets.Verdicts{judge.Answer: verdicts})
	}

	if long {
		for _, v := range r.Verdicts {
			v[judge.AsAsked] = []judge.Verdict{}
		}
	}
	if missing > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: no summary for %d of %d subtopics", name, missing, len(ds.Items)))
	}
	if relinked > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %d covered insights name no bullet; "+
			"linked as the released script does, to the bullet before the last", name, relinked))
	}
	if foreign > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %d recorded verdicts name an insight that the subtopic "+
			"does not have or no document holds; they are left out", name, foreign))
	}
	if doubled > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %d recorded verdicts are on an insight that has one already; the last one counts",
			name, doubled))
	}
	return r
}

// oddVerdicts counts recorded verdicts that had to be linked by rule, that are of no insight of the item, and that are
// on an insight that has one already.
type oddVerdicts struct{ relinked, foreign, doubled int }

// recordedVerdicts returns the verdicts that came with a summary, in the order of
// the item's insights.
func (it *item) recordedVerdicts(name string, lines int) (verdicts []judge.Verdict, odd oddVerdicts) {
	recorded, ok := it.subtopic.EvalSummaries[summaryPrefix+name]
	if !ok {
		recorded = it.subtopic.EvalSummaries[name]
	}
	by := map[string]RecordedVerdict{}
	for _, v := range recorded {
		by[v.InsightID] = v
	}

	odd.foreign, odd.doubled = len(by), len(recorded)-len(by)
	verdicts = make([]judge.Verdict, len(it.insights))
	for i, in := range it.insights {
		v, ok := by[in.InsightID]
		if !ok {
			verdicts[i] = judge.Unscored(in.InsightID, local.Empty, "the data has no verdict")
			continue
		}
		odd.foreign--

		verdicts[i] = v.verdict()
		if !verdicts[i].Scored() || verdicts[i].Label == judge.None {
			continue
		}
		if !v.BulletID.Valid {
			odd.relinked++
		}
		verdicts[i].Unit = releasedLink(v.BulletID, lines)
	}
	return verdicts, odd
}

// verdict is the recorded one without its bullet.
func (v RecordedVerdict) verdict() judge.Verdict {
	label := recordedLabels[v.Coverage]
	if label == "" {
		reason := fmt.Sprintf("the recorded label %q is not on the menu", v.Coverage)
		return judge.Unscored(v.InsightID, local.BadFormat, reason)
	}
	return coverageVerdict(v.InsightID, label)
}

// releasedLink is the 1-based bullet that the released script reads for a
// bullet_id. It may lie outside 1..lines.
func releasedLink(id BulletID, lines int) int {
	switch {
	case !id.Valid:
		return lines - 1
	case id.Number < 1:
		return lines + id.Number
	}
	return id.Number
}

// splitName takes a recorded name apart: a known retriever or order, "_", and the
// model; a bare model is full context.
func splitName(ds *datasets.Dataset, name string) datasets.System {
	known := map[string]bool{"fl-ctxt-sort": true, "fl-ctxt-rev-sort": true, "fl-ctxt-middle": true}
	for _, it := range ds.Items {
		for r := range it.(*item).subtopic.Retriever {
			known[r] = true
		}
	}

	best := ""
	for r := range known {
		if strings.HasPrefix(name, r+"_") && len(r) > len(best) {
			best = r
		}
	}
	if best == "" {
		return datasets.System{Retriever: "full", Generator: name}
	}
	return datasets.System{Retriever: best, Generator: strings.TrimPrefix(name, best+"_")}
}
