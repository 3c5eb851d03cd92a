package llm

import (
	"slices"
	"strings"

	"lore/judge"
	"lore/local"
)

// Words are the messages by which a judge of this configuration asks each question of a task, in
// their order: those of its first call, to which repairs and samples only add. verdicts are what
// Judge made of the task, which tell what a batch left out. A task without units is asked
// nothing.
func (j *Judge) Words(t judge.Task, verdicts []judge.Verdict) ([][]local.Message, error) {
	if len(t.Units) == 0 {
		return nil, nil
	}
	seen := guarded(t)
	var together []local.Message
	if j.cfg.Batch && j.together(t) {
		call, err := j.batch(seen)
		if err != nil {
			return nil, err
		}
		together = call.Messages
	}

	out := make([][]local.Message, len(t.Questions))
	for k, q := range t.Questions {
		if out[k] = together; together != nil && !slices.ContainsFunc(verdicts[k].Flags, isAskedSingly) {
			continue
		}
		call, err := j.single(seen, q)
		if err != nil {
			return nil, err
		}
		out[k] = call.Messages
	}
	return out, nil
}

// askedSingly begins the note on a question that a batch left out.
const askedSingly = "asked singly: "

func isAskedSingly(flag string) bool { return strings.HasPrefix(flag, askedSingly) }
