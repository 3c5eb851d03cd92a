package build

import "math"

// What the model that checks says of a statement and a text. It is asked again, the other way
// round, where much depends on it.
const (
	noAnswer int8 = iota - 1 // none that can be read
	saysNo
	saysYes
	noTwice  // asked both ways
	yesTwice // the same
	split    // it contradicts itself
)

// How far a second judge finds a statement covered; noAnswer where it has no label.
const (
	coveredNot int8 = iota
	coveredPartly
	coveredWhole
)

// mostSeconds is how many judges give a second opinion: word overlap, and one of --judge.
const mostSeconds = 2

// look is what was found when a text was examined for a statement.
type look struct {
	planned bool // the text was to state it
	direct  bool // the model was asked about it alone, and had not named it on a list before
	checker int8
	seconds [mostSeconds]int8
}

// kindsOfLook is how many different looks there are.
const kindsOfLook = 2 * 2 * 6 * 4 * 4

// kind numbers looks, so that equal ones are counted together.
func (l look) kind() int {
	n := number(l.planned)*2 + number(l.direct)
	return ((n*6+int(l.checker)+1)*4+int(l.seconds[0])+1)*4 + int(l.seconds[1]) + 1
}

// lookOf is the look of a number.
func lookOf(kind int) look {
	return look{
		planned: kind/192 == 1,
		direct:  kind/96%2 == 1,
		checker: int8(kind/16%6) - 1,
		seconds: [mostSeconds]int8{int8(kind/4%4) - 1, int8(kind%4) - 1},
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// counts is how often there was a look of each kind.
type counts [kindsOfLook]float64

func (c *counts) add(o counts) {
	for i, n := range o {
		c[i] += n
	}
}

// rates are how often texts state what they should and should not, and how often each
// opinion errs. All are probabilities.
type rates struct {
	// That a text states it: where that is not planned, and where it is.
	present [2]float64
	// That the model says yes, where the text does not state it and where it does: first that it
	// names it on a list and then says yes, then that it says yes when asked about it alone.
	checker [2][2]float64
	// That a judge has each label, where the text does not state it, where it does not though it
	// was to state it, and so may come near it, and where it does.
	second [mostSeconds][3][3]float64
}

// usual are the rates that are assumed before anything is known. Those of word overlap are
// about what it has on rewritten statements.
var usual = rates{
	present: [2]float64{0.01, 0.9},
	checker: [2][2]float64{{0.01, 0.9}, {0.05, 0.95}},
	second: [mostSeconds][3][3]float64{
		{{0.88, 0.10, 0.02}, {0.50, 0.25, 0.25}, {0.15, 0.20, 0.65}},
		{{0.88, 0.09, 0.03}, {0.50, 0.25, 0.25}, {0.10, 0.20, 0.70}},
	},
}

// weights are the probabilities of a look together with the text not stating it, and with
// the text stating it. Opinions err independently of each other.
func (r *rates) weights(l look) (absent, present float64) {
	p := r.present[number(l.planned)]
	absent, present = 1-p, p

	absent *= r.answers(l, 0)
	present *= r.answers(l, 1)
	for k, label := range l.seconds {
		if label != noAnswer {
			absent *= r.second[k][number(l.planned)][label]
			present *= r.second[k][2][label]
		}
	}
	return absent, present
}

// answers is the probability of the model's answers, by the truth. However often it is asked,
// some chance is left that the statement is one on which it always errs.
func (r *rates) answers(l look, truth int) float64 {
	yes, again := r.checker[number(l.direct)][truth], r.checker[1][truth]
	switch l.checker {
	case saysYes:
		return yes
	case saysNo:
		return 1 - yes
	case yesTwice:
		return max(yes*again, alwaysErrs)
	case noTwice:
		return max((1-yes)*(1-again), alwaysErrs)
	case split:
		if l.planned {
			return max((1-yes)*again, alwaysErrs)
		}
		return max(yes*(1-again), alwaysErrs)
	}
	return 1
}

// settle is the probability that a text states what was looked for.
func (r *rates) settle(l look) float64 {
	absent, present := r.weights(l)
	return present / (absent + present)
}

// How rates are learnt.
const (
	fitRounds = 60
	fitWeight = 12 // looks that what was assumed before weighs as much as

	// alwaysErrs is how often the model errs however it is asked, once statements were tried.
	alwaysErrs = 0.004

	// leastError is assumed of the model however well it does: a statement that was not tried
	// yet may be one on which it always errs.
	leastError = 0.02
)

// learn estimates rates from looks of which nobody knows the truth. It is the estimate of
// Hui and Walter (Biometrics 36, 1980): two populations with different prevalence, the
// planned and the others, and opinions that err independently, tell how often each errs.
// The steps are those of Dawid and Skene (Applied Statistics 28, 1979).
func learn(seen counts) rates {
	var there []weighed
	for kind, n := range seen {
		if n > 0 {
			there = append(there, weighed{lookOf(kind), n})
		}
	}

	r := usual
	for range fitRounds {
		r = r.relearn(there)
	}
	for way := range r.checker {
		r.checker[way][0] = max(r.checker[way][0], leastError)
		r.checker[way][1] = min(r.checker[way][1], 1-leastError)
	}
	return r
}

// weighed is a look, and how often it was had.
type weighed struct {
	look
	times float64
}

// relearn is a step: what each look is worth by the present rates, and the rates by that.
func (r *rates) relearn(seen []weighed) rates {
	var present, all [2]float64     // by plan
	var yes, answered [2][2]float64 // by way of asking, and truth
	var label [mostSeconds][3][3]float64

	for _, w := range seen {
		l, n := w.look, w.times
		p := r.settle(l)
		plan := number(l.planned)
		present[plan] += n * p
		all[plan] += n

		for truth, share := range [2]float64{n * (1 - p), n * p} {
			for _, a := range l.all() {
				answered[a.way][truth] += share
				yes[a.way][truth] += share * float64(a.yes)
			}
			where := 2 // the text states it
			if truth == 0 {
				where = plan
			}
			for k, x := range l.seconds {
				if x != noAnswer {
					label[k][where][x] += share
				}
			}
		}
	}

	out := usual
	for i := range 2 {
		out.present[i] = (present[i] + fitWeight*usual.present[i]) / (all[i] + fitWeight)
		for way := range 2 {
			out.checker[way][i] = (yes[way][i] + fitWeight*usual.checker[way][i]) / (answered[way][i] + fitWeight)
		}
	}
	for k := range label {
		for i, n := range label[k] {
			for x := range n {
				out.second[k][i][x] = (n[x] + fitWeight*usual.second[k][i][x]) / (n[0] + n[1] + n[2] + fitWeight)
			}
		}
	}
	return out
}

// answer is one of the model's, and whether it was asked about the statement alone.
type answer struct{ way, yes int }

// all are the model's answers one by one.
func (l look) all() []answer {
	way := number(l.direct)
	switch l.checker {
	case saysNo, saysYes:
		return []answer{{way, int(l.checker)}}
	case noTwice:
		return []answer{{way, 0}, {1, 0}}
	case yesTwice:
		return []answer{{way, 1}, {1, 1}}
	case split:
		// It is asked again where its first answer is against the plan.
		return []answer{{way, 1 - number(l.planned)}, {1, number(l.planned)}}
	}
	return nil
}

// misfit is what can be wrong with a statement, so that checks fail on it in every text.
type misfit struct {
	why    string
	change func(r *rates)
}

// misfits lists them; the last is as often the writer's fault.
var misfits = []misfit{
	{"the model that checks finds it in no text", func(r *rates) { r.checker = each(0.02, 0.02) }},
	{"the model that checks finds it in every text", func(r *rates) { r.checker = each(0.98, 0.98) }},
	{"the model that checks finds it where it is not", func(r *rates) { r.checker = each(0.95, 0.05) }},
	{unwritten, func(r *rates) { r.present[1] = 0.1 }},
}

const unwritten = "texts that should state it do not"

// each are rates of a checker that are the same however it is asked.
func each(absent, present float64) [2][2]float64 {
	return [2][2]float64{{absent, present}, {absent, present}}
}

// How a statement is tried.
const (
	misfitShare = 0.025 // of statements that each misfit is assumed to have
	leastFit    = 0.2   // probability that nothing is wrong below which a statement is disputed
)

// try compares what was seen of a statement over its documents with what would be seen if
// something were wrong with it. fit is the probability that nothing is; why is the most
// probable one of these misfits.
func (r *rates) try(seen counts, misfits []misfit) (fit float64, why string) {
	usually := math.Log(1-misfitShare*float64(len(misfits))) + r.logLikelihood(seen)
	all, best := 1.0, math.Inf(-1) // odds against the usual
	for _, m := range misfits {
		other := *r
		m.change(&other)
		l := math.Log(misfitShare) + other.logLikelihood(seen)
		all += math.Exp(min(l-usually, 500))
		if l > best {
			best, why = l, m.why
		}
	}
	return 1 / all, why
}

// logLikelihood is how probable looks are, as a logarithm.
func (r *rates) logLikelihood(seen counts) float64 {
	sum := 0.0
	for kind, n := range seen {
		if n > 0 {
			absent, present := r.weights(lookOf(kind))
			sum += n * math.Log(absent+present)
		}
	}
	return sum
}
