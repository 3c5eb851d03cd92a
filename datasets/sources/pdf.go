package sources

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"lore/local/files"
)

// pdfProgram is Poppler's, which most systems have in a package. There is no well-kept library in Go
// that keeps the spaces between words and the order of columns; text without them would be misread.
const pdfProgram = "pdftotext"

// pdfTime is how long a file may take.
const pdfTime = time.Minute

// readPDF has the text of a PDF extracted.
func readPDF(ctx context.Context, file string, _ Options) (string, error) {
	program, err := exec.LookPath(pdfProgram)
	if err != nil {
		return "", &files.Error{
			File:   file,
			Msg:    "is PDF, and " + pdfProgram + " is not installed",
			Remedy: "install poppler-utils, or extract its text first",
			Err:    err,
		}
	}
	full, err := filepath.Abs(file) // a name that begins with "-" would be a flag
	if err != nil {
		return "", err
	}

	limited, stop := context.WithTimeout(ctx, pdfTime)
	defer stop()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(limited, program, "-enc", "UTF-8", full, "-")
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()

	refused := func(msg, remedy string) (string, error) {
		return "", &files.Error{File: file, Msg: msg, Remedy: remedy, Err: err}
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return refused("is PDF whose text took more than a minute to extract", "extract it first, or split the file")
	case err != nil && strings.Contains(said.String(), "password"):
		return refused("is PDF that is locked by a password", "save it without one")
	case err != nil:
		return refused("is PDF that "+pdfProgram+" cannot read", "open it in a viewer and print it to a new file")
	}

	text, err := files.Text(file, out.Bytes())
	if err != nil {
		return "", err
	}
	plain, err := extracted(string(text))
	if err == nil && plain == "" {
		return refused("is PDF without text, perhaps of scanned pages", "run character recognition over it first")
	}
	return plain, err
}
