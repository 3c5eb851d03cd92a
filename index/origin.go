package index

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"slices"

	"lore/local/files"
)

// Origin is a corpus in files, which need not be read again while they stay as they are.
type Origin struct {
	Path  string   // as it was given
	Files []string // that the documents are read from, in order
	// Each hands over all documents in their order, each id once. warnings are kept and given again when nothing is read.
	Each func(do func(Document) error) (warnings []string, err error)
}

// fileRecord is what is remembered of a file of a corpus: if all of it is as it was, the file is taken to be what it
// was. An edit goes unseen that keeps size, time and inode, and touches none of the sampled places.
type fileRecord struct {
	Path   string `json:"path"` // absolute
	Size   int64  `json:"size"`
	Time   int64  `json:"mtime_ns"`
	Inode  uint64 `json:"inode,omitempty"`
	Sample string `json:"sample,omitempty"` // hash of sampled blocks
}

// What is read of a corpus to see that it is the one that was indexed.
const (
	sampleBlock  = 4096
	samplePlaces = 64 // blocks of a file, beside its first and its last
	sampledFiles = 64 // of all files; sizes and times are those of every one
)

// records remembers the files of a corpus as they are now.
func records(paths []string) ([]fileRecord, error) {
	out := make([]fileRecord, len(paths))
	every := max(1, len(paths)/sampledFiles)
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, files.Unreadable(path, err, "")
		}
		out[i] = fileRecord{Path: path, Size: info.Size(), Time: info.ModTime().UnixNano(), Inode: inode(info)}
		if i%every == 0 {
			if out[i].Sample, err = sample(path, info.Size()); err != nil {
				return nil, files.Unreadable(path, err, "")
			}
		}
	}
	return out, nil
}

// sample hashes the beginning and the end of a file and blocks at even distances between them.
func sample(path string, size int64) (string, error) {
	f, err := files.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()

	h := sha256.New()
	buf := make([]byte, sampleBlock)
	last := max(0, size-sampleBlock)
	before := int64(-1)
	for i := range int64(samplePlaces + 2) {
		at := last / (samplePlaces + 1) * i
		if i == samplePlaces+1 {
			at = last
		}
		if at == before {
			continue
		}
		before = at
		n, err := f.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return "", err
		}
		_, _ = h.Write(buf[:n]) // a hash takes all
	}
	return hex.EncodeToString(h.Sum(nil)[:hashSize]), nil
}

// sameFiles reports whether files are as they were. Of no files nothing is known.
func sameFiles(a, b []fileRecord) bool { return len(a) > 0 && slices.Equal(a, b) }
