package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/service"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local"
	"lore/local/files"
	"lore/local/redact"
	"lore/local/system"
)

// Defaults of a trial.
const (
	trialK       = 10
	trialTimeout = 2 * time.Minute
)

// Characters that a trial shows of a reply, of an answer, and of a document's text.
const (
	shownOfReply  = 1200
	shownOfAnswer = 600
	shownOfText   = 80
	shownBefore   = 20 // a citation
)

// trial is one question to a system of one's own.
type trial struct {
	*doctor
	systems models.Systems
	model   *models.Model
	item    datasets.Item // that it is about
	matcher *run.Matcher  // of the data that was given; nil: none was
	misfits int           // of the problems, those of what the file says and what the reply holds
}

// trySystem asks a system one question, and shows what was sent, what came and what was read.
func (d *doctor) trySystem(ctx context.Context) error {
	t, err := d.newTrial()
	if err != nil {
		return err
	}
	question := d.question
	if question == "" {
		question = t.item.Title()
	}
	call := t.systems.Question(t.model, question, t.item.ID())
	if err := t.showRequest(call); err != nil {
		return err
	}
	if err := t.systems.Alive(ctx); err != nil {
		return err
	}

	reply, err := t.systems.Ask(ctx, call)
	if err != nil {
		return err
	}
	if err := t.showReply(reply); err != nil {
		return err
	}
	if t.misfits > 0 {
		return t.misfit("the reply is not what it says: see what is marked PROBLEM", nil)
	}
	if d.problems > 0 {
		return fmt.Errorf("%s found", usage.Counted(d.problems, "problem"))
	}
	return nil
}

// unfit reports a problem of file and reply, which do not go together.
func (t *trial) unfit(what, format string, args ...any) {
	t.misfits++
	t.problem(what, format, args...)
}

// misfit is the error of a file that does not go together with a reply.
func (t *trial) misfit(msg string, err error) *files.Error {
	return &files.Error{File: redact.URL(t.system), Msg: msg, Err: err, Remedy: "correct it, and try again"}
}

// newTrial reads the description and the data.
func (d *doctor) newTrial() (*trial, error) {
	t := &trial{doctor: d}
	flags := systemsFlags{urls: d.system, k: trialK, timeout: trialTimeout}
	var err error
	if t.systems, err = flags.config(d.allow); err != nil {
		return nil, err
	}
	if len(t.systems.URLs) != 1 {
		return nil, usage.Errorf("--system of doctor takes one system, not %d", len(t.systems.URLs))
	}
	if entry := t.systems.URLs[0]; !service.IsFile(entry) {
		t.systems.Files[entry] = system.Usual(entry, trialK, trialTimeout)
	}
	t.model = t.systems.Asked()[0]

	bench, err := find(d.bench)
	if err != nil {
		return nil, err
	}
	ds, err := bench.Load(d.data)
	if err != nil {
		return nil, err
	}
	if len(ds.Items) == 0 {
		return nil, &files.Error{File: strings.Join(ds.Files, ", "), Msg: "has no items to ask about"}
	}
	if t.item = ds.Items[0]; len(d.data) > 0 {
		t.matcher = run.NewMatcher(t.item.Corpus())
	}
	return t, nil
}

// showRequest shows what is sent.
func (t *trial) showRequest(call local.Call) error {
	lines, err := t.systems.Request(t.model, call)
	if err != nil {
		return err
	}
	t.ok("system", "%s", t.model.Spec)
	for _, l := range lines {
		t.ok("sent", "%s", l)
	}
	if body := t.model.Service.SentBody(call); body != "" {
		t.ok("sent", "%s", cutTo(body, shownOfReply))
	}
	return nil
}

// cutTo is the beginning of a text, and says so where it is not all.
func cutTo(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return fmt.Sprintf("%s… (the first %d of %d characters)", string(r[:most]), most, len(r))
}

// showReply shows what came, and what was read of it.
func (t *trial) showReply(reply local.Reply) error {
	took := reply.Usage.Duration.Round(time.Millisecond)
	kept, ok := system.Unpack(reply.Text)
	if !ok {
		switch reply.Outcome {
		case local.Transport, local.Timeout:
			return fmt.Errorf("%w: %s", system.ErrFails, reply.Detail)
		}
		report := t.problem
		if reply.Outcome == local.BadFormat {
			report = t.unfit
		}
		report("reply", "%s: %s", reply.Outcome, reply.Detail)
		return nil
	}
	t.ok("reply", "in %s, %d bytes of %s", took, len(kept.Body), typeOf(kept))
	t.lines("reply", cutTo(kept.Body, shownOfReply))

	s := t.model.Service
	read, outcome, detail, err := s.Read(kept)
	var rule *system.ReadError
	if errors.As(err, &rule) {
		bad := t.misfit(rule.Key+": "+rule.Path.Text+": "+rule.Err.Error(), err)
		if rule.Key != "stream" {
			bad.Remedy = "correct the path, and try again"
		}
		if rule.Path.Line > 0 {
			bad.Place = fmt.Sprintf("line %d", rule.Path.Line)
		}
		return bad
	}
	if err != nil {
		return err
	}
	switch outcome {
	case local.OK:
	case local.BadFormat:
		t.unfit("answer", "%s: %s", outcome, detail)
	default:
		t.problem("answer", "%s: %s", outcome, detail)
	}
	if answered(local.Reply{Outcome: outcome}) {
		t.showReading(s, read)
	}
	return nil
}

// lines shows the lines of a text, but for empty ones.
func (t *trial) lines(what, text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			t.ok(what, "%s", line)
		}
	}
}

// typeOf words the content type of a reply.
func typeOf(k system.Kept) string {
	if k.Type == "" {
		return "no content type"
	}
	return k.Type
}

// showReading shows what was read of a reply.
func (t *trial) showReading(s *system.Service, read system.Reading) {
	if read.Parts > 0 {
		t.ok("stream", "%s", usage.Counted(read.Parts, "part"))
		if len(s.Rules.Ends) == 0 {
			t.note("stream", "one that breaks off cannot be told from a whole one; say with end: what ends it")
		}
	}
	if read.Answer != "" {
		t.lines("answer", cutTo(read.Answer, shownOfAnswer))
	}
	if u := read.Usage; u.PromptTokens+u.OutputTokens > 0 {
		t.ok("tokens", "%d of the prompt, %d of the answer", u.PromptTokens, u.OutputTokens)
	}
	for _, odd := range read.Odd {
		t.note("missing", "%s", odd)
	}

	t.showDocuments(s, read)
	t.showCites(s, read)
}

// mostShownDocuments is how many documents a trial shows.
const mostShownDocuments = 3

// showDocuments shows the documents that the system names, and which of the data these are.
func (t *trial) showDocuments(s *system.Service, read system.Reading) {
	if !s.Rules.Documents.At.Given() {
		t.note("documents", "the file names none with documents:, so nothing is known of retrieval")
		return
	}
	t.ok("documents", "%d", len(read.Documents))
	known := 0
	for i, d := range read.Documents {
		named, is := t.find(d)
		if named {
			known++
		}
		if i < mostShownDocuments {
			t.ok("documents", "%d: %s%s", i+s.Rules.First(), nameOf(d), is)
		}
	}

	t.showMissed(s, read)
	switch lost := len(read.Documents) - known; {
	case t.matcher == nil && len(read.Documents) > 0:
		t.note("documents", "not looked up: give DATA, and --benchmark for its kind")
	case lost == len(read.Documents) && lost > 0:
		t.unfit("documents", "none of %d is in the data", lost)
	case lost > 0:
		t.problem("documents", "%d of %d are not in the data", lost, len(read.Documents))
	case known > 0:
		t.ok("documents", "all are in the data")
	}
}

// showMissed says where the pattern that finds the documents' ids finds none.
func (t *trial) showMissed(s *system.Service, read system.Reading) {
	missed, example := 0, ""
	for _, d := range read.Documents {
		if d.Missed {
			missed, example = missed+1, nameOf(system.Document{Text: d.ID})
		}
	}
	report := t.note
	if missed == len(read.Documents) {
		report = t.unfit
	}
	if missed > 0 {
		report("documents", "the pattern %s matches nothing in %d of %d, such as %s", s.Rules.Documents.Pattern, missed,
			len(read.Documents), example)
	}
}

// find looks a document up in the data, and words what was found.
func (t *trial) find(d system.Document) (known bool, is string) {
	if t.matcher == nil {
		return false, ""
	}
	named := t.matcher.Name(d.ID, d.Text)
	switch {
	case named.ID == "" && named.Fate == "":
		return false, ": the data has no such document"
	case named.ID == "":
		return false, fmt.Sprintf(": %s in the data", named.Fate)
	case named.Fate != "":
		return true, fmt.Sprintf(": the text of %s", named.ID)
	}
	return true, ""
}

// nameOf words a document.
func nameOf(d system.Document) string {
	if d.ID != "" {
		return d.ID
	}
	r := []rune(strings.Join(strings.Fields(d.Text), " "))
	if len(r) > shownOfText {
		return fmt.Sprintf("%q…", string(r[:shownOfText]))
	}
	return fmt.Sprintf("%q", string(r))
}

// showCites shows what the answer cites.
func (t *trial) showCites(s *system.Service, read system.Reading) {
	if !s.Rules.ReadCites() {
		if marks := system.Marks(read.Answer); len(read.Documents) > 0 && marks > 0 {
			t.note("citations", "the answer has %s, read by the documents' ids, or as places in the data; "+
				"where they are places among documents, write citations: place", usage.Counted(marks, "mark"))
		}
		return
	}

	if len(read.Cites) > 0 {
		t.ok("citations", "%d", len(read.Cites))
	}
	t.showUnknown(read)
	for i, c := range read.Cites {
		if i == mostShownDocuments {
			break
		}
		mark := read.Answer[c.From:c.To]
		if mark == "" {
			before := []rune(read.Answer[:c.From])
			mark = fmt.Sprintf("after %q", string(before[max(0, len(before)-shownBefore):]))
		}
		var names []string
		for _, d := range c.Documents {
			_, is := t.find(d)
			names = append(names, nameOf(d)+is)
		}
		if c.Unknown > 0 {
			names = append(names, usage.Counted(c.Unknown, "document")+" that the reply does not have")
		}
		t.ok("citations", "%s: %s", mark, strings.Join(names, ", "))
	}
}

// showUnknown says how many citations mean a document that is known, where not all do.
func (t *trial) showUnknown(read system.Reading) {
	all, known := len(read.Cites), 0
	for _, c := range read.Cites {
		if slices.ContainsFunc(c.Documents, func(d system.Document) bool {
			found, _ := t.find(d)
			return found || t.matcher == nil
		}) {
			known++
		}
	}
	if all == 0 {
		all = system.Marks(read.Answer)
	}

	switch {
	case all == 0:
		t.note("citations", "none: the answer has no mark, and the reply no list, that could be read as one")
	case known == 0:
		t.unfit("citations", "0 of %d citations are known: none means a document of the reply that is in the data; "+
			"see citations: in the file", all)
	case known < all:
		t.note("citations", "%d of %d are known", known, all)
	}
}
