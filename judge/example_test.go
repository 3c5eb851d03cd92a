package judge_test

import (
	"context"
	"fmt"

	"lore/judge"
	"lore/judge/lexical"
	"lore/local"
)

// A task is one answer, cut into its bullets, with everything asked of it.
func ExampleJudge() {
	task := judge.Task{
		ID:    "stress",
		About: "How do students cope with stress?",
		Units: []string{
			"Students praise the Pomodoro technique with breaks after 25 minutes [3].",
			"A meditation app called Calm helps to sleep [7].",
		},
		Questions: []judge.Question{
			{ID: "pomodoro", Kind: judge.Coverage,
				Text: "A student suggests the Pomodoro technique: breaks after 25 minutes."},
			{ID: "sleep", Kind: judge.Coverage,
				Text: "One student sleeps better with an app, others with music or a walk."},
			{ID: "canteen", Kind: judge.Coverage,
				Text: "The canteen closes at noon on Friday."},
		},
	}

	var j judge.Judge = lexical.Judge{}
	verdicts, err := j.Judge(context.Background(), []judge.Task{task}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range verdicts[0] {
		fmt.Printf("%-8s  %-7s  value %.1f  bullet %d\n", v.Question, v.Label, v.Value, v.Unit)
	}
	// Output:
	// pomodoro  full     value 1.0  bullet 1
	// sleep     partial  value 0.5  bullet 2
	// canteen   none     value 0.0  bullet 0
}

// A failed question is unscored, which is not a value of 0.
func ExampleUnscored() {
	v := judge.Unscored("sleep", local.TooLong, "the prompt does not fit the context window")
	fmt.Println(v.Scored(), v.Outcome, v.Reason)
	// Output:
	// false too_long the prompt does not fit the context window
}
