package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"lore/cmd/lore/internal/meter"
	"lore/cmd/lore/internal/usage"
	"lore/local/files"
)

// farewell says how a command ends that is interrupted.
type farewell struct {
	stderr io.Writer
	board  usage.Board
	args   []string

	once sync.Once // the command may end by itself while it is ended
}

// interrupted says how much is done, what of it is kept, and how to go on. Every finished call to a
// model is on disk, and files are put in place whole. What the built-in judge or a model in this
// process computes is made again: where no call was made, nothing is said of calls.
func (e *farewell) interrupted() { e.once.Do(e.say) }

func (e *farewell) say() {
	state, known := e.board.State()
	e.board.End()
	fmt.Fprintf(e.stderr, "lore: interrupted; %s\n      %s\n", interruptedText(state, known), commandLine(os.Args[0], e.args))
}

// interruptedText is the sentence about a state; one that is not known is that of a command that shows no progress.
func interruptedText(s meter.State, known bool) string {
	if !known {
		return "what it had written whole is kept; run the same command again:"
	}
	kept := "no model had answered, so that only whole files are kept; run the same command again:"
	if n := s.Asked + s.Kept; n > 0 {
		kept = fmt.Sprintf("nothing is lost: %s to models and whole files are kept; run the same command again to resume from them:",
			usage.Counted(n, "finished call"))
	}
	switch {
	case s.Planned && s.Kept == 0: // else the share is of what was left to do
		return fmt.Sprintf("%d %% is done\n      %s", int(100*s.Share), kept)
	case s.Phase != "":
		return fmt.Sprintf("of %q %d of %d are done\n      %s", s.Phase, s.Done, s.Total, kept)
	}
	return kept
}

// commandLine is what was typed, for a shell to read again. A program that lies in the path goes by its name.
func commandLine(program string, args []string) string {
	if !strings.ContainsRune(program, filepath.Separator) {
		program = filepath.Base(program)
	}
	words := []string{files.Quoted(program)}
	for _, a := range args {
		words = append(words, files.Quoted(a))
	}
	return strings.Join(words, " ")
}
