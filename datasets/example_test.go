package datasets_test

import (
	"context"
	"fmt"
	"log"

	"lore/datasets"
	"lore/datasets/crux"
	"lore/judge/lexical"
	"lore/local"
)

// An item's way, from its question to its values: what is shown, what is answered, what a
// judge must find out, and what its verdicts come to. No model is needed.
func Example() {
	ds, err := crux.Benchmark{}.Load(nil) // the bundled sample
	if err != nil {
		log.Fatal(err)
	}
	item := ds.Items[0]
	fmt.Printf("%s, one of %d items over %d passages\n", item.ID(), len(ds.Items), ds.Documents())

	// A retriever found three passages; the budget has room for two and a part.
	found := datasets.Retrieved{IDs: []string{"lamp2", "lamp3", "lamp4"}}
	shown := item.Context(found, datasets.Budget{Tokens: 300})
	fmt.Printf("shown: %d passages of %d tokens, %d cut\n", len(shown.Passages), shown.Tokens, shown.Cut)

	// A generator answered from them.
	evidence := datasets.Evidence{Retrieved: &found, Context: shown, Output: datasets.Output{
		Text: "The keeper's letter told Ines that he keeps a light for someone who travels inland. " +
			"A woman in a grey coat, Mrs. Ashdown, came along the beam of the lamp.",
		Outcome: local.OK,
	}}

	// The judge answers what the item asks of it, in the same order.
	tasks := item.Plan(evidence)
	answers, err := lexical.Judge{}.Judge(context.Background(), tasks, nil)
	if err != nil {
		log.Fatal(err)
	}
	verdicts := datasets.Verdicts{}
	for i, t := range tasks {
		verdicts[t.Subject] = answers[i]
	}

	for _, s := range item.Score(evidence, verdicts) {
		switch s.Metric {
		case "cov_context@3", "cov_answer@3", "recall_at_k":
			fmt.Printf("%s: %.2f\n", s.Metric, s.Value)
		}
	}
	// Output:
	// lighthouse, one of 2 items over 12 passages
	// shown: 3 passages of 300 tokens, 1 cut
	// cov_answer@3: 0.56
	// cov_context@3: 0.67
	// recall_at_k: 0.50
}

// Ends of the scale say nothing of how systems between them rank.
func ExampleSystem_Reference() {
	for _, retriever := range []string{"bm25", "random", "oracle>first:500", "full-random"} {
		fmt.Println(retriever, datasets.System{Retriever: retriever}.Reference())
	}
	// Output:
	// bm25 false
	// random true
	// oracle>first:500 true
	// full-random false
}
