package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"lore/local"
)

// Entry is one line of a journal: a reply to a call, or a word that takes earlier replies
// to it back.
type Entry struct {
	Key   string      `json:"key"`
	At    time.Time   `json:"at"`
	Try   int         `json:"try,omitempty"` // 1 is the first; an earlier lore kept no tries
	Call  local.Call  `json:"call"`
	Reply local.Reply `json:"reply"`
	Void  string      `json:"void,omitempty"` // why replies up to At are not believed any more
}

// sumMark stands between what a line says and its checksum, which is the last field.
const sumMark = `,"sum":"`

// sumLength is that of a checksum: the first half of a SHA-256, in hexadecimal.
const sumLength = sha256.Size

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:sha256.Size/2])
}

// encodeLine writes an entry with its checksum and the end of line.
func encodeLine(e Entry) ([]byte, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode a journal entry: %w", err)
	}
	body := data[:len(data)-1] // without the closing brace
	return fmt.Appendf(body, "%s%s\"}\n", sumMark, sumOf(body)), nil
}

var (
	errSum  = errors.New("its checksum does not match")
	errJSON = errors.New("it is not a line of a journal")
	errKey  = errors.New("its key is not that of its call")
)

// checkSum compares a line with its checksum. A line of an earlier lore has none.
func checkSum(line []byte) (summed bool, err error) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	at := len(line) - len(sumMark) - sumLength - len(`"}`)
	if at < 0 || string(line[at:at+len(sumMark)]) != sumMark {
		// What looks like a damaged end must not pass for an old line: those end with their reply.
		if !bytes.HasSuffix(line, []byte("}}")) {
			return false, errSum
		}
		return false, nil
	}
	sum := line[at+len(sumMark) : at+len(sumMark)+sumLength]
	if string(sum) != sumOf(line[:at]) || string(line[len(line)-2:]) != `"}` {
		return true, errSum
	}
	return true, nil
}

// readLine checks a line and reads it.
func readLine(line []byte) (Entry, error) {
	if _, err := checkSum(line); err != nil {
		return Entry{}, err
	}
	return decodeLine(line)
}

// decodeLine reads a line whole. The key must be that of the call, which is known unless
// the texts of a structured request were left out.
func decodeLine(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("%w: %w", errJSON, err)
	}
	switch {
	case e.Key == "":
		return e, errJSON
	case e.Void != "":
		return e, nil
	case !known(e.Reply.Outcome):
		return e, fmt.Errorf("%w: the outcome %q is not known", errJSON, e.Reply.Outcome)
	case e.Call.Source == nil && e.Call.Key() != e.Key:
		return e, errKey
	}
	return e, nil
}

func known(o local.Outcome) bool {
	for _, k := range local.Outcomes {
		if k == o {
			return true
		}
	}
	return false
}
