package gate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Follower reads a journal that another process may be writing. It locks nothing and changes
// nothing.
type Follower struct {
	dir string
	at  map[string]int64 // by file: the end of what was read
}

// NewFollower follows the journal in a folder, which may not be there yet.
func NewFollower(dir string) *Follower { return &Follower{dir: dir, at: map[string]int64{}} }

// Next hands over what was written since the last time, in the order of the files. An end
// that is still being written waits for the next time, and damaged lines are left out: the
// run itself tells of those.
func (f *Follower) Next(each func(Entry)) error {
	names, err := journalFiles(f.dir)
	if err != nil {
		return err
	}
	for _, path := range names {
		if err := f.file(path, each); err != nil {
			return fmt.Errorf("read the journal %s: %w", path, err)
		}
	}
	return nil
}

func (f *Follower) file(path string, each func(Entry)) error {
	file, err := openToRead(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() < f.at[path] {
		f.at[path] = 0 // it was written anew
	}
	if _, err := file.Seek(f.at[path], io.SeekStart); err != nil {
		return err
	}

	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		f.at[path] += int64(len(line))
		if e, err := readLine(line); err == nil {
			each(e)
		}
	}
}
