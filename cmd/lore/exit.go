package main

import (
	"context"
	"errors"
	"fmt"

	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/stage"
	"lore/embed"
	"lore/index/trec"
	"lore/local/gate"
	"lore/local/ollama"
	"lore/local/system"
	"lore/local/wire"
)

// Exit codes, as documented in the README and in `lore help exit-codes`.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitPartial     = 3
	exitInput       = 4
	exitServer      = 5
	exitBroken      = 6
	exitCannotTell  = 7
	exitInterrupted = 130
)

// partial says that a job finished, but not all of it could be done.
type partial struct{ msg string }

func (p *partial) Error() string { return p.msg }

// partialf words a partial.
func partialf(format string, args ...any) error { return &partial{fmt.Sprintf(format, args...)} }

// closed says that a gate lets a run not pass, and with which code.
type closed struct {
	code int
	msg  string
}

func (c *closed) Error() string { return c.msg }

const exitHelp = `lore ends with one of these codes:

  0    all went well
  1    any other error
  2    usage error; nothing was done
  3    the run finished, but some items are unscored; the table counts them. Of lore runs
       verify: nothing is damaged, but a folder cannot be checked
  4    an input file is missing or malformed; the message names file and place
  5    the model server, or a system of --system, cannot be reached, fails call after call or
       cannot be believed, or the server lacks the model; finished calls are kept
  6    lore gate: the run breaks a rule
  7    lore gate: no rule is seen to be broken, but with so few items nobody can tell whether all
       are kept; 0 instead with --cannot-tell pass
  130  interrupted; finished calls to models and whole files are kept, run the same command
       again to resume from them
`

// exitCode is the code of an error, by its kind.
func exitCode(ctx context.Context, err error) int {
	var some *partial
	var stopped *closed
	var request *usage.Error
	var useless *stage.Useless // names a model that is none for the job
	var input *datasets.InputError
	var syntax *trec.SyntaxError
	var badModel *embed.ModelError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &some):
		return exitPartial // finished, whatever came after
	case errors.As(err, &stopped):
		return stopped.code
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &request), errors.As(err, &useless):
		return exitUsage
	case errors.Is(err, ollama.ErrFault):
		return exitServer // also where it shows in the vectors of a model
	case errors.As(err, &input), errors.As(err, &syntax), errors.As(err, &badModel):
		return exitInput
	case errors.Is(err, wire.ErrUnreachable), errors.Is(err, wire.ErrNoModel), errors.Is(err, system.ErrUnreachable),
		errors.Is(err, system.ErrFails),
		errors.Is(err, gate.ErrSick), errors.Is(err, gate.ErrChanged), errors.Is(err, ollama.ErrChanged):
		return exitServer
	}
	return exitError
}
