package lexical_test

import (
	"context"
	"fmt"

	"lore/judge"
	"lore/judge/lexical"
)

// The judge names the words that carried its verdict, heaviest first.
func Example() {
	tasks := []judge.Task{{
		Units: []string{
			"The heatwave of 2023 cost growers half of the olive harvest.",
			"Prices of olive oil doubled within a year.",
		},
		Questions: []judge.Question{
			{ID: "harvest", Kind: judge.Coverage, Text: "Growers lost half of their harvest to the heatwave."},
			{ID: "prices", Kind: judge.Coverage, Text: "The price of oil doubled."},
		},
	}}

	verdicts, err := lexical.Judge{}.Judge(context.Background(), tasks, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range verdicts[0] {
		fmt.Printf("%s: %s in unit %d by %q\n", v.Question, v.Label, v.Unit, v.Evidence)
	}
	// Output:
	// harvest: full in unit 1 by ["heatwave" "growers" "half" "harvest"]
	// prices: full in unit 2 by ["Prices" "oil" "doubled"]
}

func ExampleRecall() {
	references := []string{
		"The heatwave halved the olive harvest.",
		"Prices of olive oil doubled.",
	}
	recall := lexical.NewRecall("", references)

	candidate := "Olive oil became expensive."
	for _, r := range references {
		fmt.Printf("%.2f of %q\n", recall.Of(candidate, r), r)
	}
	// Output:
	// 0.08 of "The heatwave halved the olive harvest."
	// 0.39 of "Prices of olive oil doubled."
}
