package run

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"lore/datasets"
	"lore/index/trec"
	"lore/local"
	remote "lore/local/system"
)

// Outside are systems of people's own that are asked over HTTP.
type Outside struct {
	URLs    []string
	Hosts   []string // that may be asked besides this machine
	K       int      // documents that a system is asked to use
	Timeout time.Duration
}

// outside is the retriever of systems that are asked.
const outside = "outside"

// backend asks them.
func (o Outside) backend() *remote.Backend {
	return remote.New(remote.Config{Hosts: o.Hosts, Timeout: o.Timeout})
}

// Check refuses URLs that are none, or that must not be asked.
func (o Outside) Check() error {
	b := o.backend()
	for i, u := range o.URLs {
		if err := b.Check(u); err != nil {
			return usage("--system: %v", err)
		}
		if slices.Contains(o.URLs[:i], u) {
			return usage("--system %s is named twice", u)
		}
	}
	return nil
}

// alive says which system cannot be reached, if any.
func (o Outside) alive(ctx context.Context) error {
	b := o.backend()
	for _, u := range o.URLs {
		if err := b.Reachable(ctx, u); err != nil {
			return fmt.Errorf("%w; finished answers are kept: start it and run the same command again", err)
		}
	}
	return nil
}

// takeAnswer reads what a system said, with the documents it names. Documents that the
// corpus does not have are a failure: the system answers from other data.
func (e *engine) takeAnswer(c *cell, reply local.Reply) datasets.Output {
	a, err := remote.Parse([]byte(reply.Text))
	if err != nil {
		return datasets.Output{Outcome: local.BadFormat, Reason: err.Error()}
	}
	out := datasets.Output{Text: a.Answer, Outcome: local.OK}
	if len(a.Documents) == 0 {
		return out
	}
	known := e.textsOf(c.item.Corpus())
	found := datasets.Retrieved{}
	for _, id := range a.Documents {
		if _, ok := known[id]; !ok {
			return datasets.Output{Outcome: local.BadFormat, Reason: fmt.Sprintf("names the document %q, which the data does not have", id)}
		}
		if !slices.Contains(found.IDs, id) {
			found.IDs = append(found.IDs, id)
		}
	}
	c.retrieved = &found
	c.context = c.item.Context(found, e.opt.Budget)
	return out
}

// writeOutside writes the rankings of systems that name documents.
func (e *engine) writeOutside(cells []cell) error {
	for n, s := range e.systems {
		if s.at >= 0 || s.answers != nil {
			continue
		}
		results := map[string][]trec.Result{}
		var topics []string
		for _, c := range cells {
			if c.system != n || c.retrieved == nil {
				continue
			}
			topics = append(topics, c.item.ID())
			for rank, id := range c.retrieved.IDs {
				results[c.item.ID()] = append(results[c.item.ID()], trec.Result{Document: id, Score: float64(len(c.retrieved.IDs) - rank)})
			}
		}
		if len(topics) == 0 {
			continue
		}
		name := fileName(outside + "-" + s.generator)
		var buf bytes.Buffer
		if err := trec.WriteRun(&buf, name, topics, results); err != nil {
			return err
		}
		if err := e.folder.WriteFile("retrieval/"+name+".trec", buf.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
