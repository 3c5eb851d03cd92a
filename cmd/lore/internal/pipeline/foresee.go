package pipeline

import (
	"time"

	"lore/cmd/lore/internal/meter"
	"lore/cmd/lore/internal/models"
)

// embedding is the name of the phase in which documents are embedded.
const embedding = "embed"

// Retrieving begins the name of the phase in which a pipeline ranks.
const Retrieving = "retrieve by "

const (
	rankAbout  = 10 * time.Millisecond // of a search that asks no model
	rankWeight = 20                    // of a ranking by a model, where a short question has 1
)

// Foresee is what a pipeline will do for so many queries over corpora of so many documents: their
// embedding, and the ranking.
func (p Pipeline) Foresee(queries int, corpora ...int) []meter.Part {
	var parts []meter.Part
	if p.Source.encodes() {
		model := ""
		if len(served(p.Source.Arg)) > 0 {
			model = p.Source.Arg
		}
		for _, n := range corpora {
			parts = append(parts, meter.Part{Name: embedding, Model: model, Steps: n, Weight: 1})
		}
	}

	rank := meter.Part{Name: Retrieving + p.Name, Steps: queries, Weight: rankWeight}
	if loads := p.Loads(); len(loads) > 0 {
		rank.Model = models.Full(loads[len(loads)-1])
	} else if len(p.Stages) == 0 {
		rank.About = rankAbout
	}
	return append(parts, rank)
}
