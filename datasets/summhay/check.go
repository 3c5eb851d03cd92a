package summhay

import (
	"fmt"
	"slices"
	"strconv"

	"lore/datasets"
)

// CheckTasks are the paper's two checks of a haystack (appendices A.1.2 and A.1.3).
func (Benchmark) CheckTasks() []string {
	return []string{datasets.CheckSubtopic, datasets.CheckInsight}
}

// Checks ask of every insight to which subtopics it belongs, or of every document and insight
// whether the one says the other.
func (b Benchmark) Checks(ds *datasets.Dataset, task string) []datasets.Check {
	var out []datasets.Check
	for _, topics := range byHaystack(ds) {
		if task == datasets.CheckSubtopic {
			out = append(out, subtopicChecks(topics)...)
		} else {
			out = append(out, insightChecks(topics)...)
		}
	}
	return out
}

// byHaystack are the items of each haystack, in the order of the data.
func byHaystack(ds *datasets.Dataset) [][]*item {
	var order []*haystack
	items := map[*haystack][]*item{}
	for _, i := range ds.Items {
		it, ok := i.(*item)
		if !ok {
			continue
		}
		if items[it.haystack] == nil {
			order = append(order, it.haystack)
		}
		items[it.haystack] = append(items[it.haystack], it)
	}

	var out [][]*item
	for _, h := range order {
		out = append(out, items[h])
	}
	return out
}

func subtopicChecks(topics []*item) []datasets.Check {
	var options []datasets.CheckOption
	for i, it := range topics {
		title := it.subtopic.Subtopic
		if it.subtopic.Name != "" {
			title = fmt.Sprintf("%s: %s", it.subtopic.Name, title)
		}
		options = append(options, datasets.CheckOption{Value: strconv.Itoa(i + 1), Title: title})
	}

	var out []datasets.Check
	for i, it := range topics {
		for _, in := range it.insights {
			out = append(out, datasets.Check{
				Statement: in.Insight,
				Options:   options,
				Group:     it.ID(),
				Key:       map[string]string{"insight": in.InsightID, "subtopic": strconv.Itoa(i + 1)},
				Claim:     1,
			})
		}
	}
	return out
}

func insightChecks(topics []*item) []datasets.Check {
	var out []datasets.Check
	docs := topics[0].Corpus().Documents
	for _, it := range topics {
		for _, in := range it.insights {
			for i, d := range docs {
				c := datasets.Check{
					Statement: in.Insight,
					Texts:     []datasets.CheckText{{Title: "Document", Units: []string{d.Text}}},
					Group:     d.ID,
					Key:       map[string]string{"document": d.ID, "insight": in.InsightID},
				}
				if slices.Contains(it.Holders()[in.InsightID], docs[i].ID) {
					c.Claim = 1
				}
				out = append(out, c)
			}
		}
	}
	return out
}
