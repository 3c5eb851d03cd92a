package msrs

import "lore/datasets"

// where is what is known of the published data.
var where = datasets.Published{
	Reads: "a domain's folder, or a clone with --domain",
	Places: []datasets.Place{
		{Name: "yale-nlp/MSRS", Kind: "GitHub", Source: "the paper, first page"},
	},
	Licence: datasets.Fact{Source: "the paper states none"},
	Parts: []datasets.Part{
		{
			Path:   "story/, meeting/",
			Layout: "a folder per domain: documents/*.txt, a text each, whose id is the file's name before its first dot",
			Read:   "lore run msrs MSRS --domain story",
			Import: "lore data import msrs MSRS/story --out story",
		},
		{
			Path: "story/queries_{train,dev,test}.json, meeting/queries_{train,dev,test}.json",
			Layout: "a JSON object of rows: query, gold_documents [document], answer (a list of four texts for stories, " +
				"a text for meetings), squality_query (stories)",
			Read:   "lore run msrs MSRS/story/queries_dev.json",
			Import: "lore data import msrs MSRS/story --out story",
		},
		{
			Path:   "outputs/DOMAIN/SETTING/summary/MODEL_summary.json",
			Layout: "a JSON list of answers in the order of the test queries",
			Read:   "lore score msrs MSRS/outputs",
		},
		{
			Path:   "outputs/DOMAIN/SETTING/evaluation/MODEL_rel_gpteval.json, or in a folder MODEL",
			Layout: "the authors' G-Eval grades, 1 to 5, one per answer",
			Read:   "lore run msrs MSRS/story --answers MSRS/outputs/story/bm25/summary/gpt-4o_summary.json",
		},
		{
			Path:   "outputs/DOMAIN/SETTING/evaluation/MODEL_squality_rouge.json, MODEL_bert_score.json",
			Layout: "the authors' ROUGE (low, mid, high of a bootstrap) and BERTScore",
			Read:   "lore score msrs MSRS/outputs",
			Unread: "BERTScore's p and r, which are exchanged",
		},
		{
			Path: "what systems were shown, such as story-oracle-top-1.json",
			Layout: "a JSON list in the order of the queries: Query, and Article, the documents with <doc-sep> between, or, " +
				"where nothing was shown, Title",
			Import: "lore data import msrs MSRS/story --shown MSRS/retrieval --out story",
			Unread: "the reference summaries in it, which are those of the queries",
		},
		{
			Path: "a hub's tables",
			Layout: "Parquet, JSON lines or a JSON list: documents (id, text), " +
				"and a table of queries per split (query, gold_documents, answer)",
			Import: "lore data import msrs --domain story --corpus corpus.parquet --queries test=test.parquet --out story",
		},
	},
	Notes: []datasets.Fact{
		{Text: "story: 1,138 documents, 250, 125 and 260 queries to train, develop and test; meeting: 231 documents, 261, 44 and 131",
			Source: "the released files"},
		{Text: "made of SQuALITY and QMSum, whose own terms lore has not looked into", Source: "the paper, section 3"},
	},
}
