package gate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lore/local"
	"lore/local/files"
)

// span is where the reply that counts for a call stands, and what must be known to choose
// between several.
type span struct {
	file   string
	offset int64
	length int

	at    time.Time
	try   int
	final bool // see local.Outcome.Final
	fresh bool // written by this process
}

func spanOf(e Entry) span { return span{at: e.At, try: e.Try, final: e.Reply.Outcome.Final()} }

// before orders spans of one call by which counts: the last try, and of equal tries one
// that is final, and then the earliest. So it does not matter in which file and order
// lines stand.
func (s span) before(t span) bool {
	switch {
	case s.try != t.try:
		return s.try > t.try
	case s.final != t.final:
		return s.final
	}
	return s.at.Before(t.at)
}

// scanner reads the files of a journal.
type scanner struct {
	index   map[string]span
	voids   map[string]time.Time
	doubles [][2]span // replies of equal weight to one call
	lines   int
	old     int     // lines without a checksum
	damaged []piece // lines of the file that was read last
	bad     func(place string, err error)
	torn    func(place string)
	check   func(line []byte) error // looks at a line whole; may be nil
}

// load indexes all files of the folder and puts the writer at the end of its own.
func (j *Journal) load(own string) error {
	names, err := journalFiles(j.dir)
	if err != nil {
		return err
	}
	for _, path := range names {
		if j.readers[path] != nil {
			continue
		}
		if j.readers[path], err = openToRead(path); err != nil {
			return err
		}
	}

	told := &teller{warn: j.warn}
	s := &scanner{index: map[string]span{}, voids: map[string]time.Time{}, bad: told.damaged}
	if j.size, err = j.scanAll(s, names, own); err != nil {
		return err
	}
	if len(j.setAside) > 0 {
		told.done()
		return j.repair(own)
	}
	// A word that takes replies back may stand in a later file than they do.
	if len(s.voids) > 0 {
		s = &scanner{index: map[string]span{}, voids: s.voids, bad: func(string, error) {}}
		if _, err = j.scanAll(s, names, own); err != nil {
			return err
		}
	}
	j.index = s.index
	told.done()
	if !j.shared { // in a cache nobody could do anything about it
		j.tell(s)
	}
	return cutTorn(j.file, j.size)
}

// cutTorn cuts the torn end of a journal off.
func cutTorn(f *os.File, good int64) error {
	if err := f.Truncate(good); err != nil {
		return fmt.Errorf("cut the torn end of %s: %w", f.Name(), err)
	}
	return nil
}

func (j *Journal) scanAll(s *scanner, names []string, own string) (size int64, err error) {
	for _, path := range names {
		// The other files of a cache may just be being written.
		s.torn = func(place string) {}
		if path == own || !j.shared {
			s.torn = func(place string) { s.bad(place, errTorn) }
		}
		good, err := s.file(path, j.readers[path])
		if err != nil {
			return 0, err
		}
		if path == own {
			size, j.setAside = good, s.damaged
		}
	}
	return size, nil
}

var errTorn = errors.New("the last line is incomplete, as after a crash")

// tell says what is odd about a journal that can be read.
func (j *Journal) tell(s *scanner) {
	if s.old > 0 {
		j.warn(fmt.Sprintf("%s: %d of %d lines were written by an earlier lore and have no checksum: "+
			"a change inside a reply would not be seen", j.dir, s.old, s.lines))
	}
	differ := 0
	for _, d := range s.doubles {
		if !j.same(d) {
			differ++
		}
	}
	if differ > 0 {
		j.warn(fmt.Sprintf("%s: %d calls have two replies that differ; the earlier one is used", j.dir, differ))
	}
}

// same reports whether two lines hold the same reply, whatever it cost.
func (j *Journal) same(pair [2]span) bool {
	var texts [2]string
	for i, at := range pair {
		buf := make([]byte, at.length)
		if _, err := j.readers[at.file].ReadAt(buf, at.offset); err != nil {
			return false
		}
		e, err := decodeLine(buf)
		if err != nil {
			return false
		}
		texts[i] = essence(e.Reply)
	}
	return texts[0] == texts[1]
}

// essence is what of a reply can change a figure.
func essence(r local.Reply) string {
	r.Usage, r.Thinking = local.Usage{}, ""
	data, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// journalFiles are the journals of a folder, in order.
func journalFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // in order; the folder's own name may hold any characters
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the journal folder: %w", err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".jsonl") {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, nil
}

// openToRead opens a journal.
func openToRead(path string) (*os.File, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	return f, nil
}

// file indexes the lines of one file and returns the offset after its last complete line.
func (s *scanner) file(path string, f *os.File) (int64, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("seek in %s: %w", path, err)
	}

	s.damaged = nil
	r := bufio.NewReaderSize(f, 1<<20)
	var offset int64
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		place := fmt.Sprintf("%s:%d", path, n)
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				s.torn(place)
			}
			return offset, nil
		}
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", path, err)
		}

		s.lines++
		if err := s.line(line, path, offset); err != nil {
			s.bad(place, err)
			s.damaged = append(s.damaged, piece{offset, int64(len(line))})
		}
		offset += int64(len(line))
	}
}

// line takes one line in. A line with a checksum is only skimmed, and decoded when its
// call is asked.
func (s *scanner) line(line []byte, path string, offset int64) error {
	summed, err := checkSum(line)
	if err != nil {
		return err
	}
	e, err := s.read(line, summed)
	if err != nil {
		return err
	}

	if !summed {
		s.old++
	}
	if s.check != nil {
		if err := s.check(line); err != nil {
			return err
		}
	}
	if e.Void != "" {
		if last := s.voids[e.Key]; e.At.After(last) {
			s.voids[e.Key] = e.At
		}
		return nil
	}
	if until, ok := s.voids[e.Key]; ok && !e.At.After(until) {
		return nil
	}

	at := spanOf(e)
	at.file, at.offset, at.length = path, offset, len(line)
	s.add(e.Key, at)
	return nil
}

func (s *scanner) read(line []byte, summed bool) (Entry, error) {
	if !summed {
		return decodeLine(line)
	}

	var head struct {
		Key   string    `json:"key"`
		At    time.Time `json:"at"`
		Try   int       `json:"try"`
		Void  string    `json:"void"`
		Reply struct {
			Outcome local.Outcome `json:"outcome"`
		} `json:"reply"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return Entry{}, fmt.Errorf("%w: %w", errJSON, err)
	}
	e := Entry{Key: head.Key, At: head.At, Try: head.Try, Void: head.Void}
	e.Reply.Outcome = head.Reply.Outcome
	if e.Key == "" || e.Void == "" && !known(e.Reply.Outcome) {
		return Entry{}, errJSON
	}
	return e, nil
}

func (s *scanner) add(key string, at span) {
	old, ok := s.index[key]
	if ok && old.try == at.try && old.final == at.final {
		s.doubles = append(s.doubles, [2]span{old, at})
	}
	if !ok || at.before(old) {
		s.index[key] = at
	}
}

// teller words warnings of damaged lines, the first few one by one.
type teller struct {
	warn func(string)
	n    int
}

// mostTold is how many damaged lines are named.
const mostTold = 5

func (t *teller) damaged(place string, err error) {
	if t.n++; t.n <= mostTold {
		t.warn(fmt.Sprintf("%s: damaged line skipped: %v; its call will be asked again", place, err))
	}
}

func (t *teller) done() {
	if t.n > mostTold {
		t.warn(fmt.Sprintf("and %d more damaged lines; their calls will be asked again", t.n-mostTold))
	}
}
