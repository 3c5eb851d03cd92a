package build

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"lore/datasets/stage"
	"lore/datasets/summhay"
	"lore/local/schema"
)

// How statements are tried.
const (
	trialRounds   = 4
	pilotLooks    = 3   // of the first documents are to hold each statement
	controlLooks  = 3   // documents that are not to hold it, for a new wording
	mostDisputed  = 0.5 // share of the statements; a checker that disputes more is of no use
	secondLooks   = 60  // statements that no list named and that are audited all the same
	leastUse      = 0.3 // by how much more often a checker must say yes to what texts state than to other things
	enoughToJudge = 10  // statements, or documents, under which the two limits say nothing
)

// pilot chooses documents, by their places in the plan, so that each statement is in n of
// them, or in all that are to hold it.
func pilot(plan [][]spot, n int) []int {
	want := map[spot]int{}
	for _, spots := range plan {
		for _, p := range spots {
			want[p] = min(n, want[p]+1)
		}
	}

	var out []int
	taken := make([]bool, len(plan))
	for {
		best, most := -1, 0
		for i, spots := range plan {
			useful := 0
			for _, p := range spots {
				if want[p] > 0 {
					useful++
				}
			}
			if !taken[i] && useful > most {
				best, most = i, useful
			}
		}
		if best < 0 {
			slices.Sort(out)
			return out
		}

		taken[best] = true
		out = append(out, best)
		for _, p := range plan[best] {
			want[p]--
		}
	}
}

// disputed is a statement that the checks fail on.
type disputed struct {
	at  spot
	why string
}

// trial learns how often each opinion errs, and finds the statements that checks fail on
// again and again. With reword they get another wording, which is tried on the documents
// that are there; those for which that does not help are retired, and others of their
// subtopic take their places.
func (b *Builder) trial(ctx context.Context, subtopics []*subtopic, writers []*writer, reword bool) error {
	seen, _ := firstLooks(subtopics, writers)
	var out []disputed
	b.rates, out = tried(live(subtopics), seen)
	found, agreed := b.rates.checker[1][1], b.rates.checker[1][0]
	if found-agreed < leastUse && len(writers) >= enoughToJudge {
		return stage.Uselessf("stopped: the audit, which asks of one statement whether a text says it, is of little use: by its "+
			"own answers and by the words of the texts, it says yes to about %.0f %% of what texts state, and to %.0f %% "+
			"of what they do not; name another model", 100*found, 100*agreed)
	}
	if n := len(live(subtopics)); n >= enoughToJudge && float64(len(out)) > mostDisputed*float64(n) {
		return stage.Uselessf("stopped: the audit, which asks of one statement whether a text says it, is of no use: "+
			"it is disputed on %d of %d statements (of the first: %s); name another model", len(out), n, out[0].why)
	}

	if reword && len(out) > 0 {
		var err error
		if out, err = b.reword(ctx, subtopics, writers, out); err != nil {
			return err
		}
	}
	for _, d := range out {
		b.retire(subtopics, writers, d, reword)
	}
	_, all := firstLooks(subtopics, writers)
	b.rates = learn(all)
	return nil
}

// tried learns the rates of statements on which nothing is wrong, and lists the others. Each
// needs the other: it begins with what is usual. Where texts do not state most of what they
// should, that is the writer's fault, and no statement is disputed for it.
func tried(places []spot, seen map[spot]counts) (rates, []disputed) {
	wrong := misfits
	r := usual
	var out []disputed
	for range trialRounds {
		out = nil
		var all counts
		notWritten := 0
		for _, p := range places {
			fit, why := r.try(seen[p], wrong)
			if fit >= leastFit {
				all.add(seen[p])
				continue
			}
			out = append(out, disputed{p, why})
			if why == unwritten {
				notWritten++
				all.add(seen[p])
			}
		}
		if float64(notWritten) > mostDisputed*float64(len(places)) {
			wrong = misfits[:len(misfits)-1]
		}
		r = learn(all)
	}
	return r, out
}

// firstLooks counts the first looks at statements that are not retired, by statement and
// together.
func firstLooks(subtopics []*subtopic, writers []*writer) (by map[spot]counts, all counts) {
	by = map[spot]counts{}
	for _, p := range live(subtopics) {
		var c counts
		for _, w := range writers {
			for _, looks := range []map[spot]look{w.first, w.again} {
				if l, ok := looks[p]; ok {
					c[l.kind()]++
				}
			}
		}
		by[p] = c
		all.add(c)
	}
	return by, all
}

// retire takes a statement out of the haystack; what texts say of it is background. In the
// documents to come another one of its subtopic takes its place, if there is one.
func (b *Builder) retire(subtopics []*subtopic, writers []*writer, d disputed, replace bool) {
	s := subtopics[d.at.subtopic]
	s.retired[d.at.insight] = true
	b.quality.Retired++
	b.Note("trial", s.insights[d.at.insight].InsightID, 0, "retired: %s: %q", d.why, s.insights[d.at.insight].Insight)

	other := spot{-1, -1}
	if replace && len(s.spare) > 0 {
		in := summhay.Insight{Insight: s.spare[0].Insight, InsightID: fmt.Sprintf("%s_i%d", s.id, len(s.insights)+1)}
		other = spot{d.at.subtopic, len(s.insights)}
		s.spare, s.insights = s.spare[1:], append(s.insights, in)
		b.quality.Promoted++
		b.Note("trial", in.InsightID, 0, "takes its place in what is not written yet: %q", in.Insight)
	}
	for _, w := range writers {
		k := slices.Index(w.plan, d.at)
		switch {
		case k < 0 || w.text != "":
		case other.subtopic >= 0:
			w.plan[k] = other
		default:
			w.plan = slices.Delete(w.plan, k, k+1)
		}
	}
}

// reword has disputed statements worded anew, and returns those for which that does not
// help.
func (b *Builder) reword(ctx context.Context, subtopics []*subtopic, writers []*writer, list []disputed) (
	[]disputed, error) {
	insight := func(d disputed) *summhay.Insight { return &subtopics[d.at.subtopic].insights[d.at.insight] }
	type reply struct {
		Statement string `json:"statement"`
	}
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[reply]{
		Stage:      "reword",
		Prompt:     "summhay/reword.txt",
		NumPredict: 150,
		Schema:     schema.Object(schema.Field("statement", schema.String())).JSON(),
		Subject:    func(i int) string { return insight(list[i]).InsightID },
		Data: func(i int, problem string) any {
			return map[string]any{
				"Topic": b.Topic, "Insight": insight(list[i]).Insight, "Why": list[i].why, "Problem": problem,
			}
		},
		Check: func(i int, r reply) string {
			switch n := len(strings.Fields(r.Statement)); {
			case n < leastWords || n > mostWords:
				return fmt.Sprintf("it has %d words", n)
			case strings.EqualFold(strings.TrimSpace(r.Statement), insight(list[i]).Insight):
				return "it is the same wording"
			}
			return ""
		},
	}, stage.Places(len(list)))
	if err != nil {
		return nil, err
	}

	old := make([]summhay.Insight, len(list))
	for i, d := range list {
		old[i] = *insight(d)
		if _, bad := failed[i]; !bad {
			insight(d).Insight = strings.TrimSpace(got[i].Statement)
		}
	}
	seen, err := b.retried(ctx, writers, list)
	if err != nil {
		return nil, err
	}

	var left []disputed
	for i, d := range list {
		fit, why := b.rates.try(seen[i], misfits)
		if _, bad := failed[i]; bad || fit < 1-leastFit {
			*insight(d) = old[i]
			left = append(left, disputed{d.at, cmp.Or(why, d.why)})
			continue
		}
		b.quality.Reworded++
		b.Note("trial", old[i].InsightID, 0, "worded anew, because %s: %q was %q", d.why, insight(d).Insight, old[i].Insight)
		for _, w := range writers { // all that was found of the old wording
			delete(w.verdicts, d.at)
			delete(w.first, d.at)
			delete(w.again, d.at)
		}
	}
	return left, nil
}

// retried audits new wordings in the documents that are there: each in those that are to
// hold it, and in a few others.
func (b *Builder) retried(ctx context.Context, writers []*writer, list []disputed) ([]counts, error) {
	type place struct {
		of int // in the list
		look
	}
	var places []place
	var ask []asked
	for i, d := range list {
		others := 0
		for _, w := range writers {
			if w.text == "" || !w.planned(d.at) && others == controlLooks {
				continue
			}
			if !w.planned(d.at) {
				others++
			}

			words, err := w.judged(ctx, b.Judge, []spot{d.at})
			if err != nil {
				return nil, err
			}
			l := look{planned: w.planned(d.at), direct: true, seconds: [mostSeconds]int8{words[0], noAnswer}}
			places = append(places, place{i, l})
			ask = append(ask, asked{w.text, w.insight(d.at)})
		}
	}

	x := examiner{b.Session, &b.quality, func(int) string { return "new wordings" }, "trial"}
	got, err := x.ask(ctx, auditQuestion, ask)
	if err != nil {
		return nil, err
	}
	seen := make([]counts, len(list))
	for n, p := range places {
		p.checker = got[n]
		seen[p.of][p.kind()]++
	}
	return seen, nil
}

// lookAgain audits n statements that no list and no word overlap found in a document, drawn
// by chance: what screening misses would not be seen otherwise, nor how often the model
// agrees to what a text does not say.
func (b *Builder) lookAgain(ctx context.Context, writers []*writer, n int) error {
	type pair struct {
		w *writer
		p spot
	}
	var all []pair
	for _, w := range writers {
		for _, p := range w.live() {
			if v, known := w.verdicts[p]; w.text != "" && known && !v.audited {
				all = append(all, pair{w, p})
			}
		}
	}
	rng := rand.New(rand.NewPCG(b.Seed, 8))
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })

	n = min(len(all), n, 1+len(writers)) // a small build has a small check
	drawn := map[*writer][]spot{}
	for _, d := range all[:n] {
		drawn[d.w] = append(drawn[d.w], d.p)
	}
	return b.each(ctx, "second looks", writers, func(w *writer, ctx context.Context) error {
		if len(drawn[w]) == 0 {
			return nil
		}
		if err := w.audited(ctx, drawn[w], nil); err != nil {
			return err
		}
		for _, p := range drawn[w] {
			w.quality.SecondLooks++
			if w.verdicts[p].checker == saysYes {
				w.quality.SecondFound++
			}
		}
		err := w.askedOtherwise(ctx)
		for _, p := range drawn[w] {
			w.again[p] = w.verdicts[p].look
		}
		return err
	})
}
