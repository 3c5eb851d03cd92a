package rerank

import "testing"

// The schema is part of a call's key in the journal.
func TestSchemaIsUnchanged(t *testing.T) {
	const want = `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},` +
		`"minItems":1,"maxItems":6}},"required":["queries"]}`
	if got := string(queriesSchema); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
