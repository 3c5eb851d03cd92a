package datasets

// Check is something in the data of a benchmark that people can check: what they are shown, and,
// in Key and Claim, what they are not.
type Check struct {
	Query     string
	Statement string        // such as the insight or key point
	Texts     []CheckText   // documents in full
	Options   []CheckOption // what to choose from, where that differs from check to check

	Group string            `json:"-"` // what checks hang together with, such as the topic: the unit of resampling
	Key   map[string]string `json:"-"` // names in the data, such as insight and document
	Claim float64           `json:"-"` // what the data says, 0 for no to 1 for yes
}

// CheckText is a text that is shown, in units that can be pointed at.
type CheckText struct {
	Title string
	Units []string
	Marks []string // pieces of it to point out
}

// CheckOption is something to choose.
type CheckOption struct{ Value, Title string }

// Checkable is a Benchmark with data that people can check item by item.
type Checkable interface {
	// CheckTasks names the tasks of labelling that its data serves.
	CheckTasks() []string

	// Checks are the checks of a task, one of CheckTasks, over a dataset that it has loaded.
	// Their order is that of the data.
	Checks(ds *Dataset, task string) []Check
}

// Tasks of labelling on data.
const (
	CheckGrade    = "grade"    // how well a passage answers a sub-question, 0 to 5 (CRUX)
	CheckKeyPoint = "keypoint" // is a key point found in the documents, and is it one (Long²RAG)
	CheckInsight  = "insight"  // does a document say an insight (SummHay, Table 5)
	CheckSubtopic = "subtopic" // to which subtopics an insight belongs (SummHay, Table 4)
	CheckCriteria = "criteria" // six criteria of a query, its documents and a summary (MSRS)
)
