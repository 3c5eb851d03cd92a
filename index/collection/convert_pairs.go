package collection

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"lore/index/trec"
	"lore/local/files"
)

// pairs reads judgements or a run, and returns what writes it.
func (w writing) pairs() (func(io.Writer) error, error) {
	if w.Kind == JudgementsKind {
		q, err := readJudgements(w.In, w.losses)
		if err == nil && w.Form != TREC && w.Form != MSMARCO {
			err = w.oneIteration(q)
		}
		return func(to io.Writer) error { return w.judgements(to, q) }, err
	}
	r, err := readRun(w.In, w.losses)
	return func(to io.Writer) error { return w.run(to, r) }, err
}

// oneIteration refuses judgements that differ by their iteration alone, and counts those of any but 0.
func (w writing) oneIteration(q *trec.Qrels) error {
	for _, topic := range q.Order {
		seen := map[string]string{}
		for _, j := range q.Topics[topic] {
			if first, twice := seen[j.Document]; twice {
				return &files.Error{
					File: w.In, Place: "topic " + topic,
					Msg: fmt.Sprintf("judges document %s in the iterations %s and %s, and %s has no iterations",
						j.Document, first, j.Iteration, w.Form),
					Remedy: "give --to trec",
				}
			}
			seen[j.Document] = j.Iteration
			if j.Iteration != "0" {
				w.iterations++
			}
		}
	}
	return nil
}

// judgements writes judgements in the order in which they were read.
func (w writing) judgements(to io.Writer, q *trec.Qrels) error {
	for _, judged := range q.Topics {
		*w.rows += len(judged)
	}
	if w.Form == TREC {
		return trec.WriteQrels(to, q)
	}
	put, end := w.pairTable(to)
	for _, topic := range q.Order {
		for _, j := range q.Topics[topic] {
			err := w.stop.Err()
			switch {
			case err != nil:
			case w.Form == MSMARCO:
				_, err = fmt.Fprintf(to, "%s\t%s\t%s\t%d\n", topic, j.Iteration, j.Document, j.Relevance)
			default:
				err = put(topic, j.Document, float64(j.Relevance))
			}
			if err != nil {
				return err
			}
		}
	}
	return end()
}

// run writes a run in the order in which it was read; ranks are those of trec_eval.
func (w writing) run(to io.Writer, r *trec.Run) error {
	for _, results := range r.Topics {
		*w.rows += len(results)
	}
	w.renamed = r.Renamed
	if w.Form == TREC {
		return trec.WriteRun(to, cmp.Or(r.Tag, files.ID(files.OneWord(baseOf(w.In))), "run"), r.Order, r.Topics)
	}
	w.tag = r.Tag
	put, end := w.pairTable(to)
	for _, topic := range r.Order {
		results := r.Topics[topic]
		if w.Form == MSMARCO {
			results = ranked(results)
			w.ranked += len(results)
		}
		for i, one := range results {
			err := w.stop.Err()
			switch {
			case err != nil:
			case w.Form == MSMARCO:
				_, err = fmt.Fprintf(to, "%s\t%s\t%d\n", topic, one.Document, i+1)
			case math.IsInf(one.Score, 0):
				err = &files.Error{File: w.In, Place: "topic " + topic,
					Msg:    fmt.Sprintf("the score of document %s is infinite, which %s cannot hold", one.Document, w.Form),
					Remedy: "give --to trec"}
			default:
				err = put(topic, one.Document, one.Score)
			}
			if err != nil {
				return err
			}
		}
	}
	return end()
}

// ranked are results as trec_eval orders them: by score in single precision, and equal ones by id, the greater first.
func ranked(results []trec.Result) []trec.Result {
	out := slices.Clone(results)
	slices.SortStableFunc(out, func(a, b trec.Result) int {
		return cmp.Or(cmp.Compare(float32(b.Score), float32(a.Score)), cmp.Compare(b.Document, a.Document))
	})
	return out
}

// pairTable writes values by topic and document.
func (w writing) pairTable(to io.Writer) (put func(topic, doc string, value float64) error, end func() error) {
	judged := w.Kind == JudgementsKind
	switch {
	case w.Form == JSON:
		return nested(to)
	case w.Form == CSV:
		return cells(to)
	case w.Form == Parquet && judged:
		add, end := groups[judgedPair](to)
		return func(topic, doc string, value float64) error { return add(judgedPair{topic, doc, int64(value)}) }, end
	case w.Form == Parquet:
		add, end := groups[scoredPair](to)
		return func(topic, doc string, value float64) error { return add(scoredPair{topic, doc, value}) }, end
	}

	heading := "qid\tdocid\tscore\n"
	if judged {
		heading = "query-id\tcorpus-id\tscore\n"
	}
	put = func(topic, doc string, value float64) error {
		_, err := fmt.Fprintf(to, "%s%s\t%s\t%s\n", heading, topic, doc, number(value))
		heading = ""
		return err
	}
	return put, func() error { return nil }
}

// judgedPair is a judgement in the columns of ranx.
type judgedPair struct {
	Query string `parquet:"q_id,dict"`
	Doc   string `parquet:"doc_id"`
	Score int64  `parquet:"score"`
}

// scoredPair is a result in the columns of ranx.
type scoredPair struct {
	Query string  `parquet:"q_id,dict"`
	Doc   string  `parquet:"doc_id"`
	Score float64 `parquet:"score"`
}

// number has the shortest form that is read as the same number, in JSON, too.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// nested writes {topic: {document: value}}, a topic a line. Rows of a topic stand together.
func nested(to io.Writer) (put func(topic, doc string, value float64) error, end func() error) {
	last, n := "", 0
	put = func(topic, doc string, value float64) error {
		before := ", "
		switch {
		case n == 0:
			before = "{\n" + jsonString(topic) + ": {"
		case topic != last:
			before = "},\n" + jsonString(topic) + ": {"
		}
		last = topic
		n++
		_, err := io.WriteString(to, before+jsonString(doc)+": "+number(value))
		return err
	}
	return put, func() error {
		last := "}\n}\n"
		if n == 0 {
			last = "{}\n"
		}
		_, err := io.WriteString(to, last)
		return err
	}
}

// cells writes CSV in the columns of ranx.
func cells(to io.Writer) (put func(topic, doc string, value float64) error, end func() error) {
	c := csv.NewWriter(to)
	err := c.Write([]string{"q_id", "doc_id", "score"})
	put = func(topic, doc string, value float64) error {
		if err != nil {
			return err
		}
		return c.Write([]string{topic, doc, number(value)})
	}
	return put, func() error {
		c.Flush()
		return c.Error()
	}
}
