package gate

import (
	"crypto/sha256"
	"fmt"
	"os"
	"time"

	"lore/local"
)

// Audit is what a look through a journal has found.
type Audit struct {
	Lines    int      // in all files
	Calls    int      // different calls with a reply that counts
	Unsummed int      // lines of an earlier lore, without a checksum
	Failed   int      // calls whose last try failed: they are asked again by the next run
	Problems []string // damaged lines, and calls with two replies that differ

	Texts map[[sha256.Size]byte]bool // of all answers, by the SHA-256 of their text
}

// AuditJournal reads every line of a journal whole, and changes nothing. The error is a
// folder that cannot be read; a folder without journals has no lines.
func AuditJournal(dir string) (Audit, error) {
	a := Audit{Texts: map[[sha256.Size]byte]bool{}}
	files, err := journalFiles(dir)
	if err != nil {
		return a, err
	}
	j := &Journal{dir: dir, readers: map[string]*os.File{}}
	for _, path := range files {
		if j.readers[path], err = openToRead(path); err != nil {
			return a, err
		}
		defer j.readers[path].Close()
	}

	bad := func(place string, err error) { a.Problems = append(a.Problems, fmt.Sprintf("%s: %v", place, err)) }
	read := func(voids map[string]time.Time, bad func(string, error)) (*scanner, error) {
		s := &scanner{index: map[string]span{}, voids: voids, bad: bad, check: a.check}
		_, err := j.scanAll(s, files, "")
		return s, err
	}
	s, err := read(map[string]time.Time{}, bad)
	if err == nil && len(s.voids) > 0 {
		s, err = read(s.voids, func(string, error) {})
	}
	if err != nil {
		return a, err
	}

	a.Lines, a.Calls, a.Unsummed = s.lines, len(s.index), s.old
	for _, at := range s.index {
		if !at.final {
			a.Failed++
		}
	}
	for _, d := range s.doubles {
		if !j.same(d) {
			a.Problems = append(a.Problems, fmt.Sprintf("%s at byte %d and %s at byte %d: two replies to one call differ",
				d[0].file, d[0].offset, d[1].file, d[1].offset))
		}
	}
	return a, nil
}

// check decodes a line whole and keeps the hash of its answer.
func (a *Audit) check(line []byte) error {
	e, err := decodeLine(line)
	if err != nil {
		return err
	}
	if e.Void == "" && (e.Reply.Outcome == local.OK || e.Reply.Outcome == local.Cut) {
		a.Texts[sha256.Sum256([]byte(e.Reply.Text))] = true
	}
	return nil
}
