package summhay

import "sync"

// An answerRead is an answer and whether its citations are read by the strict rule.
type answerRead struct {
	text   string
	strict bool
}

// answers are those read last, with their bullets.
type answers struct {
	mu   sync.Mutex
	read map[answerRead][]bullet
}

// keptAnswers bounds what is kept: some megabytes of answers of the usual length.
const keptAnswers = 1000

func (a *answers) get(key answerRead, read func() []bullet) []bullet {
	a.mu.Lock()
	lines, ok := a.read[key]
	a.mu.Unlock()
	if ok {
		return lines
	}

	lines = read() // outside the lock: answers are read at once by as many as there are cores
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.read == nil || len(a.read) >= keptAnswers {
		a.read = map[answerRead][]bullet{}
	}
	a.read[key] = lines
	return lines
}
