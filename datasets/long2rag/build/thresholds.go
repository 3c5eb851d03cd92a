package build

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/datasets/stage"
	"lore/judge/metric"
	"lore/local/files"
)

// checked is a key point that has a significance and that people have judged.
type checked struct {
	score     float64 // 0 to 1
	confirmed bool    // more than half of its raters
}

// checkedPoints are those of each question. unscored counts the judged points without a significance.
func checkedPoints(questions []long2rag.Question, confirmed map[[2]string]bool) (by [][]checked, unscored int) {
	for _, q := range questions {
		var list []checked
		for _, p := range q.KeyPoints {
			yes, judged := confirmed[[2]string{q.ID, p.ID}]
			switch {
			case !judged:
			case p.Score == nil:
				unscored++
			default:
				list = append(list, checked{*p.Score, yes})
			}
		}
		if len(list) > 0 {
			by = append(by, list)
		}
	}
	return by, unscored
}

// At is what a threshold does to points that people have judged.
type At struct {
	Threshold float64
	Kept      int // points of at least the threshold
	Wrong     int // of these not confirmed
	Dropped   int // points below the threshold
	Lost      int // of these confirmed: false positives, as key points that were taken for none
	Confirmed int // of all

	// Raters is the share of confirmed points among the dropped ones by what each rater alone says, mean over raters who
	// judged any: the paper's false positive rate (its appendix A.2), from 0 to 1; NaN where nobody did.
	Raters float64
}

// F1 is the harmonic mean of the share of the kept points that are confirmed and that of the
// confirmed ones that are kept, from 0 to 1; NaN where there are neither.
func (a At) F1() float64 {
	return 2 * float64(a.Kept-a.Wrong) / float64(a.Kept+a.Confirmed)
}

// at tells what a threshold does.
func at(by [][]checked, threshold float64) At {
	out := At{Threshold: threshold}
	for _, list := range by {
		for _, c := range list {
			if c.confirmed {
				out.Confirmed++
			}
			switch {
			case c.score >= threshold:
				out.Kept++
				if !c.confirmed {
					out.Wrong++
				}
			default:
				out.Dropped++
				if c.confirmed {
					out.Lost++
				}
			}
		}
	}
	return out
}

// judgedPoints are the points that people have judged: by question as the majority says, and as each rater says.
type judgedPoints struct {
	by       [][]checked
	raters   [][]checked // a list each
	unscored int         // judged points without a significance
}

// judgedOf gathers the points of all questions that have a significance.
func judgedOf(questions []long2rag.Question, confirmed map[[2]string]bool, sheets [][]HumanVerdict) judgedPoints {
	var out judgedPoints
	out.by, out.unscored = checkedPoints(questions, confirmed)

	scores := map[[2]string]float64{}
	for _, q := range questions {
		for _, p := range q.KeyPoints {
			if p.Score != nil {
				scores[[2]string{q.ID, p.ID}] = *p.Score
			}
		}
	}
	for _, sheet := range sheets {
		var list []checked
		for _, v := range sheet {
			if s, ok := scores[[2]string{v.Question, v.Point}]; ok {
				list = append(list, checked{s, v.Found && v.Key == Agree})
			}
		}
		out.raters = append(out.raters, list)
	}
	return out
}

// at tells what a threshold does, by the majority and by each rater.
func (j judgedPoints) at(threshold float64) At {
	out := at(j.by, threshold)
	var rates []float64
	for _, list := range j.raters {
		if own := at([][]checked{list}, threshold); own.Dropped > 0 {
			rates = append(rates, float64(own.Lost)/float64(own.Dropped))
		}
	}
	out.Raters = metric.Mean(rates)
	return out
}

// ranked is a point with the place of its question.
type ranked struct {
	checked
	question int
}

// sorted lists the points of all questions by significance.
func sorted(by [][]checked) []ranked {
	var out []ranked
	for q, list := range by {
		for _, c := range list {
			out = append(out, ranked{c, q})
		}
	}
	slices.SortStableFunc(out, func(a, b ranked) int { return cmp.Compare(a.score, b.score) })
	return out
}

// fit is the threshold with the largest F1, of several the lowest, which keeps the most points: cut to
// as few digits as part it from the significance below, and lowest, NaN if it is not known, where it
// keeps all. Points are sorted, and those of a question count so many times. NaN where no point is
// confirmed.
func fit(points []ranked, times []int, lowest float64) float64 {
	kept, confirmed := 0, 0
	for _, p := range points {
		kept += times[p.question]
		if p.confirmed {
			confirmed += times[p.question]
		}
	}

	best, most := math.NaN(), 0.0
	right, below := confirmed, 0.0 // confirmed points that are kept, and the significance before
	for i := 0; i < len(points); {
		s := points[i].score
		if f := 2 * float64(right) / float64(kept+confirmed); right > 0 && f > most {
			if best, most = between(below, s, i > 0), f; i == 0 && !math.IsNaN(lowest) {
				best = lowest // all are kept, as they were
			}
		}
		for ; i < len(points) && points[i].score == s; i++ {
			n := times[points[i].question]
			if kept -= n; points[i].confirmed {
				right -= n
			}
		}
		below = s
	}
	return best
}

// between is the number with the fewest decimals that is above low, or at it where that is
// open, and not above high.
func between(low, high float64, above bool) float64 {
	for scale := 10.0; scale <= 1e6; scale *= 10 {
		if x := math.Floor(high*scale) / scale; x > low || x == low && !above {
			return x
		}
	}
	return high
}

// Resamples of questions, and the seed, behind the interval of a fitted threshold.
const (
	fitResamples = 1000
	fitSeed      = 1
)

// Fitted is a threshold chosen from what people judged.
type Fitted struct {
	At
	Low, High float64 // 95 % of the thresholds that resampled questions would have chosen; NaN: too few questions
}

// Fit chooses the threshold with the largest F1, with a percentile interval by a bootstrap over
// questions. lowest is the one below which the build left all points out, NaN if it is not known. ok
// is false where no point is confirmed.
func Fit(by [][]checked, lowest float64) (f Fitted, ok bool) {
	points := sorted(by)
	once := make([]int, len(by))
	for i := range once {
		once[i] = 1
	}
	best := fit(points, once, lowest)
	if math.IsNaN(best) {
		return f, false
	}
	f = Fitted{At: at(by, best), Low: math.NaN(), High: math.NaN()}
	if len(by) < 2 {
		return f, true
	}

	rng := rand.New(rand.NewPCG(fitSeed, 20))
	var chosen []float64
	for range fitResamples {
		times := make([]int, len(by))
		for range by {
			times[rng.IntN(len(by))]++
		}
		if x := fit(points, times, lowest); !math.IsNaN(x) {
			chosen = append(chosen, x)
		}
	}
	slices.Sort(chosen)
	f.Low, f.High = chosen[len(chosen)*25/1000], chosen[(len(chosen)*975-1)/1000]
	return f, true
}

// thresholdStage is the stage of the event that names the threshold of a build.
const thresholdStage = "threshold"

// thresholdOf is the threshold that a build used, by its log beside the data; NaN where none tells.
func thresholdOf(data string) float64 {
	used := math.NaN()
	log, err := files.Read(filepath.Join(folderOf(data), datasets.BuildLog), "")
	if err != nil {
		return used // a file of questions may lie alone
	}

	_ = files.EachLine(log, func(_ string, line []byte) error { // a line that cannot be read tells nothing
		var e stage.Event
		if json.Unmarshal(line, &e) != nil || e.Stage != thresholdStage {
			return nil
		}
		if x, err := strconv.ParseFloat(e.Detail, 64); err == nil {
			used = x
		}
		return nil
	})
	return used
}

// thresholdGrid shows what thresholds do: tenths, the paper's, the one of the build, and the fitted one.
// What lies below the build's is not shown, because the points below are not on the sheets.
func thresholdGrid(judged judgedPoints, used float64, fitted *Fitted) datasets.Grid {
	g := datasets.Grid{
		Title: "By threshold",
		Head: []string{
			"threshold", "points kept", "of these not confirmed", "dropped", "of these confirmed", "by each rater",
			"confirmed ones lost", "F1", "",
		},
		Note: "Confirmed: by more than half of the raters. Of these confirmed: false positives, key points that the threshold takes " +
			"for none; by each rater: the same by what each alone says, mean over raters, as in the paper's appendix A.2.",
	}
	if used > 0 {
		g.Note += fmt.Sprintf(" The build left out what is below %g; to see lower ones, build with --threshold 0.", used)
	}
	if judged.unscored > 0 {
		g.Note += fmt.Sprintf(" %d judged points have no significance and are not counted here.", judged.unscored)
	}

	marks := map[float64]string{Threshold: "the paper's, for a model of 70B parameters"}
	mark := func(x float64, words string) {
		if marks[x] != "" {
			words = marks[x] + "; " + words
		}
		marks[x] = words
	}
	var series []float64
	for tenth := range 10 {
		series = append(series, float64(tenth)/10)
	}
	if !math.IsNaN(used) {
		mark(used, "this build's")
		series = append(series, used)
	}
	if fitted != nil {
		mark(fitted.Threshold, "fitted: the largest F1"+fitted.interval())
		series = append(series, fitted.Threshold)
	}

	slices.Sort(series)
	for _, x := range slices.Compact(series) {
		if x < used {
			continue
		}
		a := judged.at(x)
		raters := datasets.NoValue
		if !math.IsNaN(a.Raters) {
			raters = fmt.Sprintf("%.1f %%", 100*a.Raters)
		}
		g.Rows = append(g.Rows, []string{
			fmt.Sprint(x), fmt.Sprint(a.Kept), part(a.Wrong, a.Kept), fmt.Sprint(a.Dropped), part(a.Lost, a.Dropped), raters,
			part(a.Lost, a.Confirmed), decimal(a.F1()), marks[x],
		})
	}
	return g
}

// interval words the interval of a fitted threshold.
func (f Fitted) interval() string {
	if math.IsNaN(f.Low) {
		return ", on too few questions for an interval"
	}
	return fmt.Sprintf(" (95 %%: %g to %g, bootstrap over questions)", f.Low, f.High)
}

// part words a share of something that may be nothing.
func part(n, of int) string {
	if of == 0 {
		return datasets.NoValue
	}
	return share(n, of)
}

func decimal(x float64) string {
	if math.IsNaN(x) {
		return datasets.NoValue
	}
	return fmt.Sprintf("%.2f", x)
}
