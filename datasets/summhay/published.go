package summhay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"lore/local/files"
)

// File is the published shape of a haystack (salesforce/summary-of-a-haystack).
// Fields that lore does not use are left out.
type File struct {
	TopicID   string     `json:"topic_id,omitempty"`
	Topic     string     `json:"topic"`
	Metadata  Metadata   `json:"topic_metadata,omitzero"`
	Subtopics []Subtopic `json:"subtopics"`
	Documents []Document `json:"documents"`
}

// Metadata is what lore writes of topic_metadata: the people of conversations, whom the
// published code names to the model that summarises. That of news has the seed articles,
// which nothing here reads.
type Metadata struct {
	Participants []string `json:"participants"`
}

// UnmarshalJSON reads the participants, and takes anything else for none.
func (m *Metadata) UnmarshalJSON(data []byte) error {
	var known struct{ Participants []string }
	if json.Unmarshal(data, &known) == nil {
		m.Participants = known.Participants
	}
	return nil
}

// IsZero reports whether there is nothing to write.
func (m Metadata) IsZero() bool { return len(m.Participants) == 0 }

// WriteFile writes a haystack in the published shape.
func WriteFile(path string, f *File) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("encode the haystack: %w", err)
	}

	if err := files.MkdirAll(filepath.Dir(path)); err != nil {
		return fmt.Errorf("make the folder for the haystack: %w", err)
	}
	if err := files.WriteFile(path, buf.Bytes()); err != nil {
		return fmt.Errorf("write the haystack: %w", err)
	}
	return nil
}

// Document is one text of a haystack with the insights it holds.
type Document struct {
	DocumentID       string   `json:"document_id"`
	DocumentText     string   `json:"document_text"`
	DocumentTitle    string   `json:"document_title,omitempty"` // not in the published files, read where it is
	Title            string   `json:"title,omitempty"`          // the same
	InsightsIncluded []string `json:"insights_included"`
}

// Subtopic is one summarisation task.
type Subtopic struct {
	SubtopicID    string                        `json:"subtopic_id"`
	Subtopic      string                        `json:"subtopic"`
	Name          string                        `json:"subtopic_name,omitempty"`
	Query         string                        `json:"query"`
	Insights      []Insight                     `json:"insights"`
	Retriever     map[string]map[string]float64 `json:"retriever,omitempty"`
	Summaries     map[string][]string           `json:"summaries,omitempty"`
	EvalSummaries map[string][]RecordedVerdict  `json:"eval_summaries,omitempty"`
}

// Insight is one reference statement.
type Insight struct {
	InsightID string `json:"insight_id"`
	Insight   string `json:"insight"`
	Name      string `json:"insight_name,omitempty"`
}

// RecordedVerdict is a verdict that came with the data.
type RecordedVerdict struct {
	InsightID string   `json:"insight_id"`
	Coverage  string   `json:"coverage"`
	BulletID  BulletID `json:"bullet_id"`
}

// BulletID is a bullet number as judges wrote it: a number, a number in quotes,
// or words such as "NA".
type BulletID struct {
	Number int  // 1-based, as written
	Valid  bool // Number was a whole number
	Raw    string
}

// UnmarshalJSON takes any JSON value.
func (b *BulletID) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		s = string(data)
	}

	b.Raw = s
	n, err := strconv.Atoi(strings.TrimSpace(s))
	b.Number, b.Valid = n, err == nil
	return nil
}

// MarshalJSON writes a number where there is one.
func (b BulletID) MarshalJSON() ([]byte, error) {
	if b.Valid {
		return fmt.Appendf(nil, "%d", b.Number), nil
	}
	return json.Marshal(b.Raw)
}
