package crux

import (
	"encoding/json"
	"fmt"

	"lore/local/files"
)

// wholeNumbers are a list of grades or labels. In one that people write null is refused: package json would read
// it as 0, which is a grade.
type wholeNumbers []int

// UnmarshalJSON refuses null in the list.
func (w *wholeNumbers) UnmarshalJSON(data []byte) error {
	var list []*int
	if err := json.Unmarshal(data, &list); err != nil {
		what := "a list of grades"
		if data[0] == '[' {
			what = "one of the grades"
		}
		return fmt.Errorf("%s %s", what, files.JSONWords(err))
	}
	*w = nil
	for i, v := range list {
		if v == nil {
			return fmt.Errorf("null is number %d of the grades, and no grade, not even 0", i+1)
		}
		*w = append(*w, *v)
	}
	if list != nil && *w == nil {
		*w = wholeNumbers{}
	}
	return nil
}
