package crux

import "lore/datasets"

// where is what is known of the published data.
var where = datasets.Published{
	Reads: "the released files together, or topics.jsonl with passages.jsonl",
	Places: []datasets.Place{
		{Name: "DylanJoo/crux-labeling", Kind: "GitHub", Source: "the authors' study on DUC 2004"},
		{Name: "DylanJoo/LANCER", Kind: "GitHub", Source: "a follow-up of the group on the same topics"},
		{Name: "DylanJoo/crux", Kind: "GitHub", Source: "the paper's code"},
		{Name: "DylanJHJ/crux", Kind: "Hugging Face", Source: "the README of DylanJoo/crux"},
	},
	Licence: datasets.Fact{Source: "the paper states none, and the README of DylanJoo/crux none"},
	Parts: []datasets.Part{
		{
			Path:   "crux-labeling: annotator_*/documents/*, or documents.jsonl",
			Layout: "passages, one JSON object per file or line: id, contents",
			Read:   "lore run crux crux-labeling LANCER",
			Import: "lore data import crux crux-labeling LANCER --out duc04",
		},
		{
			Path: "crux-labeling/example/testb-*.jsonl, crux_testb/*.jsonl",
			Layout: "JSON lines: qid, topic (the request), questions [15, some null], type, docids, report (written by people), " +
				"response (of a model)",
			Read:   "lore run crux crux-labeling LANCER",
			Import: "lore data import crux crux-labeling LANCER --out duc04",
			Unread: "type, docids; response is read by lore score crux --human alone",
		},
		{
			Path: "crux-labeling/annotations/annotator*/qlabels.jsonl, qrels.jsonl",
			Layout: "JSON lines of people's labels: id, question_based_nugget, answerability, coverage; " +
				"id, document, relevances, rationales",
			Read:   "lore score crux crux-labeling LANCER --human crux-labeling",
			Unread: "question_based_nugget, coverage (it is worked out anew), rationales",
		},
		{
			Path:   "LANCER/data/*.request.jsonl",
			Layout: "JSON lines: id, request",
			Read:   "lore run crux crux-labeling LANCER",
			Import: "lore data import crux crux-labeling LANCER --out duc04",
		},
		{
			Path:   "LANCER/results/*-subquestions/subquestions.oracle.json",
			Layout: "a JSON object {topic: [question]}",
			Read:   "lore run crux crux-labeling LANCER",
			Import: "lore data import crux crux-labeling LANCER --out duc04",
			Unread: "lists with another number of questions than there are grades, such as those that a model asked",
		},
		{
			Path: "LANCER/results/*-ratings/ratings.oracle.RETRIEVER.json",
			Layout: "a JSON object {topic: [[a grade from 0 to 5 per question] per passage]}, " +
				"passages in the order of data/*-runs/RETRIEVER-*.run",
			Read:   "lore run crux crux-labeling LANCER",
			Import: "lore data import crux crux-labeling LANCER --out duc04",
			Unread: "rows of passages that are not there",
		},
		{
			Path:   "LANCER/data/*-runs/*.run, results/*-runs/*.run",
			Layout: "TREC runs over the passages of DUC 2004 and Multi-News",
			Read:   "lore score crux crux-labeling LANCER --run LANCER",
			Import: "lore data import crux crux-labeling LANCER --out duc04",
			Unread: "the passages that are not there, which are most: they are counted, and those behind them move up",
		},
		{
			Path: "the form of DylanJoo/crux",
			Layout: "JSON lines: id, request; id, subquestions; id, docid, rating [grade per question]; id, contents. " +
				"Before: *_topics_report_request.tsv; example_id, topic, questions; example_id, pid, rating",
			Read:   "lore run crux FOLDER",
			Import: "lore data import crux FOLDER --out duc04",
			Unread: "qrels (3 required, 2 partly redundant, 1 redundant): lore computes them from the grades",
		},
	},
	Notes: []datasets.Fact{
		{Text: "the topics that the study calls duc04-testb-N are duc04-test-N everywhere else, and lore calls them so",
			Source: "the released files, in which the requests are the same"},
		{Text: "passages and questions were made of DUC 2004 and Multi-News, whose own terms lore has not looked into",
			Source: "the paper, section 3.2"},
	},
}
