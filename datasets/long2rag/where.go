package long2rag

import "lore/datasets"

// where is what is known of the published data.
var where = datasets.Published{
	Reads:   "questions with documents and key points, a file or a folder",
	Licence: datasets.Fact{Source: "the data is not public"},
	Parts: []datasets.Part{
		{
			Path: "a file of questions in lore's form",
			Layout: "JSON lines, a JSON list, or an object by id: question, category, domain, documents [id, title, text], " +
				"key_points [id, text, spans, documents]",
			Read: "lore run long2rag questions.jsonl",
		},
		{
			Path:   "a file of questions in another form",
			Layout: "JSON in the same forms, or Parquet, with fields of the same meaning, whatever they are called",
			Import: "lore data import long2rag published.json --map question=query,documents.text=content --out mine",
			Unread: "fields that --map and the usual names do not reach",
		},
		{
			Path: "key_point/ID_aggregated.json and ID.json of the related public set, cxcscmu/deepresearch_benchmarking on GitHub",
			Layout: "question, key_points [point_number, point_content, original_point_number]; beside it the extracted points " +
				"with spans, by document",
			Import: "lore data import long2rag deepresearch_benchmarking --out mine",
			Unread: "reports, queries and results; the documents' texts are not public, so each stands for its spans " +
				"(--documents FILE has whole texts)",
		},
	},
	Notes: []datasets.Fact{
		{Text: "the paper's 280 questions with 1,400 documents and 2,055 key points are not public; the authors' repository holds a README",
			Source: "the paper, section 3.3, and the repository"},
		{Text: "lore build long2rag makes such data of documents of your own", Source: "docs/long2rag.md"},
	},
}
