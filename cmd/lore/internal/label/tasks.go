package label

import (
	"slices"

	"lore/datasets"
)

// Tasks on the answers of a run. Those on data are named in package datasets.
const (
	Coverage    = "coverage"
	Entailment  = "entailment"
	Answerable  = "answerable"
	Relevance   = "relevance"
	Consistency = "consistency"
	Errors      = "errors"
	Criteria    = datasets.CheckCriteria
	Preference  = "preference"
	Grade       = datasets.CheckGrade
	KeyPoint    = datasets.CheckKeyPoint
	Insight     = datasets.CheckInsight
	Subtopic    = datasets.CheckSubtopic
)

// Tasks are all of them, in the order of the documents.
func Tasks() []Task {
	return []Task{
		coverageTask(), entailmentTask(), answerableTask(), gradeTask(), relevanceTask(), consistencyTask(),
		errorsTask(), criteriaTask(), preferenceTask(), keyPointTask(), insightTask(), subtopicTask(),
	}
}

// FindTask finds a task by its name.
func FindTask(name string) (Task, bool) {
	all := Tasks()
	i := slices.IndexFunc(all, func(t Task) bool { return t.Name == name })
	if i < 0 {
		return Task{}, false
	}
	return all[i], true
}

// TaskNames are the names of all tasks.
func TaskNames() []string {
	var out []string
	for _, t := range Tasks() {
		out = append(out, t.Name)
	}
	return out
}

func when(field string, is ...string) *Condition { return &Condition{field, is} }

var yesNo = []Option{{Value: "yes", Title: "Yes", Key: "y"}, {Value: "no", Title: "No", Key: "n"}}

func coverageTask() Task {
	return Task{
		Name:  Coverage,
		Title: "Does the answer say this?",
		Steps: []string{
			"Read the statement. Then look for the part of the answer that comes nearest to it.",
			"Fully: one part of the answer says all that the statement says, in whatever words.",
			"Partly: the part says some of it. A name, a number or a condition is missing, or is put more vaguely.",
			"Not at all: no part says it. The same subject alone is not enough, and neither is the opposite.",
			"For fully and partly, choose the part that carries it: one part, the best.",
			"Judge what is written. It does not matter here whether it is true, or well said.",
		},
		Examples: []Example{
			{
				Text:      "1. The pool is open until ten on weekdays.\n2. Entry costs four marks.",
				Statement: "On weekdays the pool closes at 10 p.m.",
				Answer:    map[string]string{"coverage": "full", "part": "1"},
				Why:       "Other words, the same content.",
			},
			{
				Text:      "1. The pool has long hours.\n2. Entry costs four marks.",
				Statement: "Entry costs four marks, and two for children.",
				Answer:    map[string]string{"coverage": "partial", "part": "2"},
				Why:       "The price for children is missing.",
			},
			{
				Text:      "1. The pool was built in 1931.",
				Statement: "The pool is closed on Mondays.",
				Answer:    map[string]string{"coverage": "none"},
				Why:       "It is about the pool, and says nothing of Mondays.",
			},
		},
		Fields: []Field{
			{Name: "coverage", Title: "The answer says it", Kind: Choice, Options: []Option{
				{Value: "full", Title: "Fully", Key: "f"},
				{Value: "partial", Title: "Partly", Key: "p"},
				{Value: "none", Title: "Not at all", Key: "n"},
			}},
			{Name: "part", Title: "Which part says it", Kind: Unit, When: when("coverage", "full", "partial")},
		},
		Seconds: 35,
		Source:  "Summary of a Haystack, sections 4.1 and 4.2: full, partial or none, with the bullet; four minutes a summary",
	}
}

func entailmentTask() Task {
	return Task{
		Name:  Entailment,
		Title: "Does the answer support this point?",
		Steps: []string{
			"Read the point, then the answer.",
			"Yes: whoever believes the answer must believe the whole point.",
			"Neutral: the answer leaves the point open, or says only some of it.",
			"No: the answer says something that cannot be true together with the point.",
			"If yes, choose the part of the answer that carries it best.",
		},
		Examples: []Example{
			{
				Text:      "1. All twelve ferries were sold in May.",
				Statement: "The ferries were sold.",
				Answer:    map[string]string{"entailment": "yes", "part": "1"},
				Why:       "The answer says it, and more.",
			},
			{
				Text:      "1. The ferries were old.",
				Statement: "The ferries were sold.",
				Answer:    map[string]string{"entailment": "neutral"},
				Why:       "They may have been sold or not.",
			},
			{
				Text:      "1. The ferries still run today.",
				Statement: "The ferries were scrapped.",
				Answer:    map[string]string{"entailment": "no"},
				Why:       "Both cannot be.",
			},
		},
		Fields: []Field{
			{Name: "entailment", Title: "The answer supports it", Kind: Choice, Options: []Option{
				{Value: "yes", Title: "Yes", Key: "y"},
				{Value: "neutral", Title: "It leaves it open", Key: "o"},
				{Value: "no", Title: "No, it contradicts it", Key: "n"},
			}},
			{Name: "part", Title: "Which part supports it", Kind: Unit, When: when("entailment", "yes"), Optional: true},
		},
		Seconds: 35,
		Source:  "Long²RAG, section 3: key points that an answer entails",
	}
}

func answerableTask() Task {
	return Task{
		Name:  Answerable,
		Title: "Can this question be answered from the report?",
		Steps: []string{
			"Read the whole report first. The request above it is only there to tell what it is about.",
			"Yes: the report holds what is needed to answer the question.",
			"No: it does not. Do not use what you know besides, and do not check whether the report is true.",
			"If yes, mark every place that the answer rests on: a sentence, or less. A yes without a mark does not count.",
		},
		Examples: []Example{
			{
				Text:      "The bridge was closed in March after a barge had struck its second pier.",
				Statement: "Why was the bridge closed?",
				Answer:    map[string]string{"answerable": "yes", "where": "a barge had struck its second pier"},
				Why:       "The reason stands there.",
			},
			{
				Text:      "The bridge was closed in March after a barge had struck its second pier.",
				Statement: "Who owned the barge?",
				Answer:    map[string]string{"answerable": "no"},
				Why:       "The barge is named, its owner is not.",
			},
		},
		Fields: []Field{
			{Name: "answerable", Title: "The report answers it", Kind: Choice, Options: yesNo},
			{Name: "where", Title: "Mark where", Kind: Place, When: when("answerable", "yes")},
		},
		Seconds: 45,
		Source:  "CRUX, appendix on human evaluation, tasks 1a and 1b",
	}
}

// steps of a scale, from its lowest grade.
func scale(from int, titles ...string) []Option {
	var out []Option
	for i, t := range titles {
		v := string(rune('0' + from + i))
		out = append(out, Option{Value: v, Title: v + ": " + t, Key: v})
	}
	return out
}

func gradeTask() Task {
	return Task{
		Name:  Grade,
		Title: "How well does this passage answer the question?",
		Steps: []string{
			"Read the passage with the question in mind.",
			"5 is a complete answer, 0 none at all. From 3 on, somebody who reads only this passage has an answer.",
			"Judge the passage alone, not what you know besides.",
		},
		Examples: []Example{
			{
				Text:      "The harbour froze over in January 1963 and stayed shut for seven weeks.",
				Statement: "How long was the harbour shut in 1963?",
				Answer:    map[string]string{"grade": "5"},
				Why:       "The answer stands there in full.",
			},
			{
				Text:      "The winter of 1963 was hard on the harbour, which could not be used for weeks.",
				Statement: "How long was the harbour shut in 1963?",
				Answer:    map[string]string{"grade": "2"},
				Why:       "For weeks, but not how many.",
			},
		},
		Fields: []Field{{Name: "grade", Title: "Grade", Kind: Choice, Options: scale(0,
			"nothing about it", "the subject, no answer", "a hint", "an answer in the main", "nearly complete", "complete")}},
		Seconds: 40,
		Source:  "CRUX, appendix on human evaluation, task 2: graded rating from 0 to 5",
	}
}

func relevanceTask() Task {
	return Task{
		Name:  Relevance,
		Title: "How much of what matters is in the answer?",
		Steps: []string{
			"Read the query and the references: what people wrote who knew the documents.",
			"Grade how much of their important content the answer has, in whatever words.",
			"What is missing lowers the grade, and so does much that nobody asked for.",
		},
		Examples: []Example{{
			Text:   "It plays in a mining town on the coast.",
			Answer: map[string]string{"relevance": "2"},
			Why:    "The references describe the town, the mine and the years; the answer has the first alone.",
		}},
		Fields: []Field{{Name: "relevance", Title: "It has", Kind: Choice, Options: scale(1,
			"next to nothing", "a little", "about half", "most", "all that matters")}},
		Seconds: 90,
		Source:  "MSRS, appendix C.5 (relevance rubric)",
	}
}

func consistencyTask() Task {
	return Task{
		Name:  Consistency,
		Title: "Is what the answer says borne out?",
		Steps: []string{
			"Go through the answer, statement by statement.",
			"Grade how much of it the references bear out. What is missing from the answer does not matter here.",
			"A statement against the references weighs more than one that they do not mention.",
		},
		Examples: []Example{{
			Text:   "The mine closed in 1921, and the town was sold to a bank.",
			Answer: map[string]string{"consistency": "3"},
			Why:    "The year is in the references; of a bank there is nothing.",
		}},
		Fields: []Field{{Name: "consistency", Title: "Borne out is", Kind: Choice, Options: scale(1,
			"next to nothing", "a little", "about half", "most", "everything")}},
		Seconds: 90,
		Source:  "MSRS, section 4 (consistency)",
	}
}

func errorsTask() Task {
	return Task{
		Name:  Errors,
		Title: "What is wrong with this answer?",
		Steps: []string{
			"Read the query, then the references, or what the answer should say, then the answer. " +
				"The documents are there to look things up.",
			"Choose all that apply, or none: then nothing is wrong with it.",
			"Missing details count when they are many. A single one is no fault.",
		},
		Examples: []Example{{
			Text:   "Something happens at a lighthouse, and in the end things change.",
			Answer: map[string]string{"errors": "missing_major, vague"},
			Why:    "Who, what and why are missing, and what is there could be said of any story.",
		}},
		Fields: []Field{{Name: "errors", Title: "Wrong with it", Kind: Many, Options: []Option{
			{Value: "missing_minor", Title: "Many fine details are missing", Key: "1"},
			{Value: "missing_major", Title: "Many important things are missing", Key: "2"},
			{Value: "misunderstanding_minor", Title: "The query is misunderstood a little", Key: "3"},
			{Value: "misunderstanding_major", Title: "The query is misunderstood", Key: "4"},
			{Value: "hallucination", Title: "It says things that no document says", Key: "5"},
			{Value: "vague", Title: "It is too general or vague", Key: "6"}, // all of report.ErrorKinds
		}}},
		Seconds: 150,
		Source:  "MSRS, appendix B.4 and Table 12",
	}
}

// criteria are those of MSRS (appendix E), with what each asks.
var criteria = []struct{ name, title, low, middle, high string }{
	{"fluency", "Coherence and fluency", "very hard to follow", "mostly clear", "clear, well ordered, easy to read"},
	{"factual", "Factual consistency with the documents", "contradicts them or invents", "small slips", "all of it is borne out"},
	{"retrieval", "Does the query need a search over many documents?", "one or two are enough", "more help", "many are needed"},
	{"aggregation", "Puts together what several documents say", "one document alone", "one or two dominate", "several, put together"},
	{"coverage", "Answers what the query asks", "not at all", "in part", "all parts of it"},
	{"relations", "Says how the documents' information hangs together", "not at all", "now and then", "throughout"},
}

func criteriaTask() Task {
	t := Task{
		Name:  Criteria,
		Title: "Six grades for an answer",
		Steps: []string{
			"Read the query carefully, then the documents, then the answer.",
			"Give six grades from 1 to 5. Each stands for itself: a fluent answer may be wrong.",
			"Write a few words about what made you decide.",
		},
		Examples: []Example{{
			Text: "Two of the three meetings chose rubber buttons, for their price.",
			Answer: map[string]string{"fluency": "5", "factual": "5", "retrieval": "4", "aggregation": "4", "coverage": "3",
				"relations": "3"},
			Why: "Clear and true, from two meetings; what the third one said, and why, is missing.",
		}},
		Seconds: 240,
		Source:  "MSRS, section 3.4 and appendix E",
	}
	for _, c := range criteria {
		t.Fields = append(t.Fields, Field{
			Name: c.name, Title: c.title, Kind: Choice, Options: scale(1, c.low, "", c.middle, "", c.high),
		})
	}
	for i := range t.Fields {
		for k, o := range t.Fields[i].Options {
			if len(o.Title) == len("1: ") {
				t.Fields[i].Options[k].Title = o.Value
			}
		}
	}
	return t
}

func preferenceTask() Task {
	return Task{
		Name:  Preference,
		Title: "Which answer is better?",
		Steps: []string{
			"Read the query and both answers. Their sides were drawn by lot.",
			"Choose the one that you would rather have been given: it says more of what was asked, and less that is wrong.",
			"Longer is not better by itself. Choose equal where you could not say which.",
		},
		Examples: []Example{{
			Text:   "A: The pool opens at six.\nB: The pool opens early, as many pools do.",
			Answer: map[string]string{"better": "a"},
			Why:    "B says less in more words.",
		}},
		Fields: []Field{{Name: "better", Title: "Better is", Kind: Choice, Options: []Option{
			{Value: "a", Title: "A", Key: "a"}, {Value: "b", Title: "B", Key: "b"}, {Value: "equal", Title: "Equal", Key: "e"},
		}}},
		Seconds: 90,
		Source:  "pairwise preference, sides by lot",
	}
}

func keyPointTask() Task {
	return Task{
		Name:  KeyPoint,
		Title: "Is this a key point of these documents?",
		Steps: []string{
			"Look for the point in the documents. The places pointed out may help; where they do not fit, read the rest.",
			"Found: can the point be taken from the documents?",
			"Correct: does it say what they say, without a twist, such as another number or another reason?",
			"Importance: key if it answers the question directly, background if it only belongs to the subject, " +
				"off the subject if it has no place in an answer.",
		},
		Examples: []Example{{
			Text:      "Frost broke eleven rails on the hill line, and the council asked for a report.",
			Statement: "Frost damaged the rails of the hill line.",
			Answer:    map[string]string{"found": "yes", "correct": "yes", "importance": "agree"},
			Why:       "Asked why the tramway closed, this is one of the reasons.",
		}},
		Fields: []Field{
			{Name: "found", Title: "The documents say it", Kind: Choice, Options: yesNo},
			{Name: "correct", Title: "It says it as they do", Kind: Choice, When: when("found", "yes"), Options: []Option{
				{Value: "yes", Title: "Yes", Key: "c"}, {Value: "no", Title: "No, it is twisted", Key: "t"}}},
			{Name: "importance", Title: "For the question it is", Kind: Choice, When: when("found", "yes"), Options: []Option{
				{Value: "agree", Title: "A key point", Key: "k"},
				{Value: "neutral", Title: "Background", Key: "b"},
				{Value: "disagree", Title: "Off the subject", Key: "o"}}},
		},
		Seconds: 60,
		Source:  "Long²RAG, appendix A.3 and its annotation manual",
	}
}

func insightTask() Task {
	return Task{
		Name:  Insight,
		Title: "Does the document say this?",
		Steps: []string{
			"Read the document whole before the first statement about it.",
			"Yes: the document says all of the statement, in whatever words, at one place or at several.",
			"No: it does not, or only a part of it.",
			"If yes, you may mark where.",
		},
		Examples: []Example{{
			Text:      "Repairs took nineteen months, from March 2021.",
			Statement: "The repairs began in spring 2021 and took more than a year and a half.",
			Answer:    map[string]string{"present": "yes"},
			Why:       "March is spring, and nineteen months are more than eighteen.",
		}},
		Fields: []Field{
			{Name: "present", Title: "The document says it", Kind: Choice, Options: yesNo},
			{Name: "where", Title: "Mark where", Kind: Place, When: when("present", "yes"), Optional: true},
		},
		Seconds: 25,
		Source:  "Summary of a Haystack, appendix A.1.3 and Table 5",
	}
}

func subtopicTask() Task {
	return Task{
		Name:  Subtopic,
		Title: "To which subtopic does this belong?",
		Steps: []string{
			"Read the statement and all subtopics.",
			"Choose the subtopic under which somebody would look for it; several only where it belongs to each as much.",
		},
		Examples: []Example{{
			Text:   "Statement: Entry costs four marks. Subtopics: 1 opening hours, 2 prices.",
			Answer: map[string]string{"subtopics": "2"},
			Why:    "It is a price.",
		}},
		Fields:  []Field{{Name: "subtopics", Title: "It belongs to", Kind: Many, OwnOptions: true}},
		Seconds: 20,
		Source:  "Summary of a Haystack, appendix A.1.2 and Table 4",
	}
}
