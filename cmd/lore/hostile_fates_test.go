package main

import "lore/local"

// verdict is what may become of a faulty reply.
type verdict int

const (
	fail  verdict = iota // it must not count: its call has failed, and says why
	count                // it is a right reply in an odd form: it must count, and be the good server's
	may                  // either of the two; a third thing, such as half of it, must not be
	words                // it is what the model said, however odd: it counts as the model's words
	no                   // nothing is asked of this server, or lore is told what it may know: it must not run
)

// fate is what a mode deserves.
type fate struct {
	verdict verdict
	why     []local.Outcome // of failed calls; none named: any
	reason  string          // of the verdict, where it is not plain
}

// byVerb are fates of a mode that differ by the verb that meets it.
type byVerb map[string]fate

func fails(why ...local.Outcome) byVerb { return byVerb{"": {verdict: fail, why: why}} }

func counts(reason string) byVerb { return byVerb{"": {verdict: count, reason: reason}} }

func either(reason string) byVerb { return byVerb{"": {verdict: may, reason: reason}} }

func refused(reason string) byVerb { return byVerb{"": {verdict: no, reason: reason}} }

// offMenu is an answer that a reader can have and a judge must not.
func offMenu(reason string) byVerb {
	return byVerb{
		"":         {verdict: fail, why: []local.Outcome{local.BadFormat}, reason: reason},
		"generate": {verdict: words, reason: "a text is not checked for sense"},
	}
}

// of is the fate of a mode when it is met by a verb.
func (b byVerb) of(verb string) fate {
	if f, ok := b[verb]; ok {
		return f
	}
	return b[""]
}

// pythonFates are those of the modes of ../shared/tools/hostile/server.py. A new mode there
// fails the test until it has one.
var pythonFates = map[string]byVerb{
	"none": counts("the server is good"),

	// What is asked before the first call.
	"bigversion": either("no figure hangs on the version: it may be left out, or stop the run"),
	"verescape":  either("the version is shown in plain characters, or refused"),
	"verhang":    either("no figure hangs on the version"),
	"tagsbig":    refused("a list of models of 200 MB is none"),
	"tagesc":     either("the digest is shown in plain characters, or refused: it is no digest"),
	"remote":     refused("the model runs on another machine"),
	"digestflip": refused("nobody knows which weights answered"),

	// Status codes.
	"status400":   fails(local.RefusedOption),
	"status401":   fails(local.ModelError),
	"status403":   fails(local.ModelError),
	"status404":   fails(local.ModelError),
	"status408":   fails(local.ModelError, local.Transport, local.Timeout),
	"status413":   fails(local.ModelError, local.TooLong),
	"status429":   fails(local.Transport),
	"status500":   fails(local.ModelError),
	"status502":   fails(local.Transport),
	"status503":   fails(local.Transport),
	"status504":   fails(local.Transport, local.Timeout),
	"status-html": fails(local.Transport),
	"redirect":    fails(local.ModelError, local.Transport, local.WrongModel),

	// Silence, and replies that break off.
	"hang":        fails(local.Timeout),
	"hanghalf":    fails(local.Timeout),
	"slowdrip":    fails(local.Timeout),
	"dripforever": fails(local.Timeout),
	"dripframes":  fails(local.Timeout, local.Oversized),
	"halfline":    fails(local.NoDone, local.Transport),
	"nodone":      fails(local.NoDone),
	"emptybody":   fails(local.NoDone, local.Transport),
	"rst":         fails(local.Transport),
	"shortcl":     fails(local.Transport, local.NoDone),
	"garbagehttp": fails(local.Transport),

	// Too much.
	"hugeline":     fails(local.Oversized),
	"hugeframes":   fails(local.Oversized),
	"hugethinking": fails(local.Oversized),
	"hugeheader":   fails(local.Oversized, local.Transport),
	"gzipbomb":     fails(local.Oversized, local.Transport, local.ModelError),
	"overlong":     fails(local.Oversized, local.Cut),
	"deepjson":     offMenu("lists in lists are no verdict"),

	// Frames in an odd form.
	"nofinalnl":  counts("a newline stands between frames; the last needs none"),
	"crlf":       counts("white space between JSON values means nothing"),
	"oneframe":   counts("a reply may come in one frame"),
	"pretty":     either("white space in JSON means nothing, but a frame is a line"),
	"bomframe":   either("RFC 8259: a reader may take no notice of a byte order mark, and a writer must not set it"),
	"dupdone":    either("the reply is whole at its first closing frame; what comes then must not count"),
	"textafter":  either("the reply is whole at its closing frame"),
	"rawnul":     fails(),
	"nan":        fails(),
	"array":      fails(),
	"null":       fails(),
	"errframe":   fails(local.ModelError),
	"errobj":     fails(),
	"floatcount": fails(),

	"donethenerror": either("the reply is whole at its closing frame, but the server takes it back"),
	"errframeempty": either("an error without words is an error, or nothing"),
	"invalidutf8": {
		"":         {verdict: may, reason: "a judge's reply has no such character; that of a canary may have"},
		"generate": {verdict: fail, reason: "the answer can only be read as another than was sent"},
	},

	// Counts and ends that cannot be right.
	"truncated": fails(local.Truncated),
	"noprompteval": {
		"":         {verdict: may, reason: "the prompt fits for sure, so that nothing was cut"},
		"generate": {verdict: fail, why: []local.Outcome{local.Truncated}},
	},
	"negcount": fails(),
	"cutlength": {
		"":         {verdict: fail, why: []local.Outcome{local.Cut}},
		"generate": {verdict: count, reason: "--cut scored: an answer that is cut is scored as it stands, and counted"},
	},
	"doneload":   fails(),
	"doneunload": fails(),
	"doneweird":  fails(),

	// Another model.
	"wrongmodel":  fails(local.WrongModel),
	"remotemodel": fails(local.WrongModel),

	// Texts.
	"empty":       fails(local.Empty),
	"contentnull": fails(local.Empty, local.WrongModel),
	"space":       fails(local.Empty),
	"zwsp":        fails(local.Empty, local.BadFormat),
	"thinkonly":   fails(local.Empty),
	"toolcall":    fails(local.Empty),
	"nul":         offMenu("a verdict is JSON from its first character"),
	"wrongschema": offMenu("there is no such label"),
	"wrongschema2": offMenu(
		"the label is on the menu, the bullet is not"),
	"dupkeys":  offMenu("a label that is given twice is none"),
	"casekeys": offMenu("Coverage is not coverage"),
	"inject": {
		"":         {verdict: count, reason: "replies with a schema are good"},
		"generate": {verdict: words, reason: "the words are shown as words"},
	},

	// Embeddings.
	"emb_dim":       fails(),
	"emb_few":       fails(),
	"emb_zero":      fails(),
	"emb_empty":     fails(),
	"emb_null":      fails(),
	"emb_nan":       fails(),
	"emb_1e39":      fails(),
	"emb_500":       fails(),
	"emb_503":       fails(),
	"emb_dimchange": fails(),
	"emb_huge":      {"": {verdict: words, reason: "the vectors are equal, and finite"}},
	"emb_const":     {"": {verdict: words, reason: "texts may have equal vectors"}},
}

// ourFates are those of the modes of local/ollama/hostile.
var ourFates = map[string]byVerb{
	"none": counts("the server is good"),

	"cuts-prompt": {
		"":         {verdict: may, reason: "these prompts fit in half a window; the canary may not"},
		"generate": {verdict: fail, reason: "the prompt is longer than half the window"},
	},
	"reads-half": fails(local.Truncated),
	"full-window": {
		"":         {verdict: may, reason: "the prompt fits for sure, so that nothing was cut"},
		"generate": {verdict: fail, why: []local.Outcome{local.Truncated}},
	},
	"uncounted-cached": either("a server before 2025 leaves the count of a cached prompt out: it cannot be checked"),
	"uncached-only":    either("less was counted than sent: cut, or cached"),
	"embed-cut":        fails(),
	"embed-tail":       either("vectors that stay the same when the end of a text changes can be found out, not seen"),

	"other-model":    fails(local.WrongModel),
	"remote-chat":    fails(local.WrongModel),
	"remote-tags":    refused("the model runs on another machine"),
	"remote-show":    refused("the model runs on another machine"),
	"digest-changes": refused("nobody knows which weights answered"),

	"retry-after-2":    fails(local.Transport),
	"retry-after-3600": fails(local.Transport),
	"huge-error":       fails(local.ModelError, local.Oversized),
	"busy":             fails(local.Transport),
	"empty":            fails(local.Empty),
	"garbage":          fails(),

	"gzip-bomb":       fails(local.Oversized, local.Transport, local.ModelError),
	"endless-headers": fails(local.Oversized, local.Transport),
	"endless-1xx":     fails(local.Oversized, local.Transport, local.Timeout),
	"endless-tags":    refused("a list of models without an end is none"),
	"endless-show":    refused("a description without an end is none"),
	"endless-version": either("no figure hangs on the version"),
	"endless-ps":      either("no figure hangs on what is in memory"),
	"ignores-limit":   fails(local.Oversized, local.Cut),

	"never-accepts": refused("nobody is there"),
	"hang-tags":     refused("nobody knows which models are there"),
	"hang-show":     refused("nobody knows what the model is"),
	"hang-embed":    fails(local.Timeout),
	"hang-chat":     fails(local.Timeout),
	"headers-only":  fails(local.Transport, local.NoDone),
	"tls-garbage":   fails(local.Transport),
	"no-http":       refused("the port is not a model server's"),
	"hangup":        fails(local.Transport),
	"hangup-embed":  fails(local.Transport),
	"drip":          counts("a reply may come in small pieces"),
	"drip-for-ever": fails(local.Timeout),

	"http-1.0":         counts("old servers close the connection at the end"),
	"trailing-garbage": either("the reply is whole at its closing frame"),
	"done-twice":       either("the reply is whole at its first closing frame; what comes then must not count"),
	"content-type":     counts("the header is a proxy's mistake; the frames are right"),
	"think-in-content": {
		"":         {verdict: fail, why: []local.Outcome{local.BadFormat}, reason: "thoughts are no verdict"},
		"generate": {verdict: words, reason: "where thoughts end cannot be known for every model"},
		"logprob":  {verdict: may, reason: "the first token is the verdict"},
	},

	"no-logprobs":       fails(),
	"logprobs-huge":     fails(),
	"logprobs-positive": fails(),
	"logprobs-nan":      fails(),
}
