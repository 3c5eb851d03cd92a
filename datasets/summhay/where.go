package summhay

import "lore/datasets"

// where is what is known of the published data.
var where = datasets.Published{
	Reads: "topic_*.json, or a clone of the repository",
	Places: []datasets.Place{
		{Name: "salesforce/summary-of-a-haystack", Kind: "GitHub", Source: "the paper, section 1, footnote 1"},
		{Name: "Salesforce/summary-of-a-haystack", Kind: "Hugging Face", Source: "the repository's README"},
	},
	Licence: datasets.Fact{Source: "neither the paper nor the repository's README states one"},
	Parts: []datasets.Part{
		{
			Path: "data/topic_*.json",
			Layout: "a JSON object per haystack: topic_id, topic, topic_metadata; " +
				"documents [document_id, document_text, document_metadata, insights_included, idx, label_*]; " +
				"subtopics [subtopic_id, subtopic_name, subtopic, query, insights [insight_id, insight_name, insight], " +
				"retriever {method: {document_id: score}}, summaries {system: [line]}, " +
				"eval_summaries {system: [insight_id, coverage, bullet_id]}]",
			Read:   "lore run summhay summary-of-a-haystack",
			Import: "lore data import summhay summary-of-a-haystack --out haystacks",
			Unread: "topic_metadata, document_metadata, idx, label_*",
		},
		{
			Path:   "the same files",
			Layout: "summaries and eval_summaries in them: 78 systems in the news haystacks, with GPT-4o's verdicts",
			Read:   "lore score summhay summary-of-a-haystack",
		},
		{
			Path: "data/eval_benchmark_data.json",
			Layout: "a JSON list of summaries that people labelled: topic_fn, subtopic_id, topic, subtopic, summkey, summary [line], " +
				"reference_insights, annotation [insight_id, coverage, candidate_id], predictions_* of recorded judges",
			Read: "lore judge validate summary-of-a-haystack/data/eval_benchmark_data.json --judge lexical",
		},
		{
			Path:   "a hub's table",
			Layout: "Parquet or JSON lines with a haystack per row, of the fields above",
			Import: "lore data import summhay train.parquet --out haystacks",
			Unread: "as above",
		},
	},
	Notes: []datasets.Fact{
		{Text: "10 haystacks: five of news, five of conversations", Source: "the repository's README"},
	},
}
