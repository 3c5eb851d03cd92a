package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
)

// printHelp is the help of every command: what it does, how it is called, examples, and
// its flags under headings.
func printHelp(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	text := c.Long
	if text == "" {
		text = c.Short
	}
	fmt.Fprintln(w, text)
	if !c.Runnable() {
		return
	}

	use := strings.TrimSuffix(c.UseLine(), " [flags]")
	if !c.HasParent() {
		use += " COMMAND"
	}
	printHeading(w, "Usage")
	fmt.Fprintf(w, "  %s\n", use)
	if c.Example != "" {
		printHeading(w, "Examples")
		fmt.Fprintln(w, c.Example)
	}
	printCommands(w, c)
	pages := printFlags(w, c)
	if len(pages) > 0 {
		fmt.Fprintf(w, "\nMore flags: lore help %s\n", strings.Join(pages, " | "))
	}
}

// printCommands lists what is below a command.
func printCommands(w io.Writer, c *cobra.Command) {
	var below [][2]string
	var pages [][2]string
	for _, s := range c.Commands() {
		line := [2]string{s.Name(), s.Short}
		switch {
		case s.IsAdditionalHelpTopicCommand():
			pages = append(pages, line)
		case s.IsAvailableCommand():
			below = append(below, line)
		}
	}
	printList(w, "Commands", below)
	printList(w, "More help (lore help NAME)", pages)
}

func printList(w io.Writer, heading string, lines [][2]string) {
	if len(lines) == 0 {
		return
	}
	printHeading(w, heading)
	printLines(w, lines)
}

func printHeading(w io.Writer, heading string) {
	usage.Paint(w, usage.Piece{Text: "\n"}, usage.Piece{Text: heading + ":", Style: usage.Heading}, usage.Piece{Text: "\n"})
}

// printLines aligns what stands beside each name.
func printLines(w io.Writer, lines [][2]string) {
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l[0]))
	}
	for _, l := range lines {
		usage.Beside(w, l[1], usage.Piece{Text: fmt.Sprintf("  %-*s  ", width, l[0])})
	}
}

// printFlags lists flags by heading, and returns the pages of help that hold the rest.
func printFlags(w io.Writer, c *cobra.Command) (pages []string) {
	headings := []string{dataFlags, systemFlags, judgingFlags, modelsFlags, outputFlags, "Flags"}
	lines := map[string][][2]string{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		heading, page := annotation(f, "heading"), annotation(f, "page")
		switch {
		case page != "" && !slices.Contains(pages, page):
			pages = append(pages, page)
		case page == "" && heading == "":
			lines["Flags"] = append(lines["Flags"], flagLine(f))
		case page == "":
			lines[heading] = append(lines[heading], flagLine(f))
		}
	})

	for _, h := range headings {
		printList(w, h, lines[h])
	}
	slices.Sort(pages)
	return pages
}

func annotation(f *pflag.Flag, key string) string {
	if v := f.Annotations[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// flagLine is a flag with what it takes, and what it is for.
func flagLine(f *pflag.Flag) [2]string {
	name, help := pflag.UnquoteUsage(f)
	flag := "--" + f.Name
	if f.Shorthand != "" && f.Shorthand != f.Name {
		flag = "-" + f.Shorthand + ", " + flag
	}
	if name != "" {
		flag += " " + strings.ToUpper(name)
	}
	return [2]string{flag, help + describeDefault(f)}
}

// helpPage is an additional page of help: a text, and the flags of a command that -h leaves
// to it.
func helpPage(name, short, text string, of *cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short, Long: text}
	if of == nil {
		return c
	}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		w := c.OutOrStdout()
		fmt.Fprintln(w, text)
		var lines [][2]string
		of.Flags().VisitAll(func(f *pflag.Flag) {
			if annotation(f, "page") == name {
				lines = append(lines, flagLine(f))
			}
		})
		printList(w, "Flags", lines)
	})
	return c
}

// pages are the pages of `lore help`. Their flags are those of lore run.
func pages(ofRun *cobra.Command) []*cobra.Command {
	return []*cobra.Command{
		benchmarksPage(),
		helpPage(retrieversTopic, "What --retriever takes, and flags of retrievers", retrieversText, ofRun),
		helpPage(generatorsTopic, "What --generator takes, systems of your own, and flags of both", generatorsText, ofRun),
		helpPage(judgesTopic, "What --judge takes, and flags of judges", judgesText, ofRun),
		helpPage(estimatesTopic, "What an estimate measures, keeps and cannot know", estimatesText, ofRun),
		helpPage(serversTopic, "Which model servers are asked, how replies are checked, and flags of that", serversText, ofRun),
		helpPage("exit-codes", "What the exit codes mean", exitHelp, nil),
	}
}

// newHelp shows the help of a command, a page, or a benchmark.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | PAGE | BENCHMARK]",
		Short: "Help on a command, a page or a benchmark",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if e, ok := all.Find(args[0]); ok {
					describeBenchmark(c.OutOrStdout(), e.Benchmark)
					return nil
				}
			}
			if len(args) == 1 && args[0] == studyTopic { // the command has the page's name
				printStudyHelp(c.OutOrStdout())
				return nil
			}
			found, rest, err := root.Find(args)
			if err == nil && len(rest) == 0 {
				return found.Help()
			}

			names := all.Names()
			for _, s := range root.Commands() {
				names = append(names, s.Name())
			}
			return usage.Unknown("command or page of help", strings.Join(args, " "), names)
		},
	}
}

// describeBenchmark says what a benchmark is, its own settings, and what holds where the
// command line says nothing else.
func describeBenchmark(w io.Writer, b datasets.Benchmark) {
	fmt.Fprintf(w, "%s: %s\n", b.Name(), b.About())
	if conf, ok := b.(datasets.Configurable); ok {
		var lines [][2]string
		for _, s := range conf.Settings() {
			lines = append(lines, [2]string{"--" + s.Name, s.Help})
		}
		printList(w, "Settings of its own", lines)
	}

	p := b.Protocol()
	depth := "all"
	if p.Depth > 0 {
		depth = fmt.Sprint(p.Depth)
	}
	printList(w, "Defaults", [][2]string{
		{"--retriever", p.Retrievers},
		{"--budget-tokens", fmt.Sprint(p.Budget.Tokens)},
		{"--num-predict", fmt.Sprint(p.NumPredict)},
		{"--temperature", fmt.Sprint(p.Temperature)},
		{"--top-p", fmt.Sprint(p.TopP)},
		{"ranked documents", depth},
	})

	var metrics [][2]string
	for _, m := range b.Metrics() {
		metrics = append(metrics, [2]string{m.Title, m.Explain})
	}
	printList(w, "Figures", metrics)
}

// benchmarksPage lists the benchmarks with the settings of each. It asks them when it is
// shown.
func benchmarksPage() *cobra.Command {
	c := helpPage(benchmarksTopic, "The benchmarks, and their own settings", "", nil)
	c.SetHelpFunc(func(c *cobra.Command, _ []string) {
		w := c.OutOrStdout()
		fmt.Fprintln(w, "lore run BENCHMARK takes the settings of that benchmark besides the common flags.")
		for _, b := range all.Benchmarks() {
			fmt.Fprintf(w, "\n%s: %s\n", b.Name(), b.About())
			conf, ok := b.(datasets.Configurable)
			if !ok {
				continue
			}
			var lines [][2]string
			for _, s := range conf.Settings() {
				lines = append(lines, [2]string{"--" + s.Name, s.Help})
			}
			printLines(w, lines)
		}
		fmt.Fprintln(w, "\nlore help BENCHMARK has its defaults and figures, too.")
	})
	return c
}

// wrap breaks a comma list into lines that fit a page.
func wrap(list string) string {
	const width = 88
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(list) {
		switch n := utf8.RuneCountInString(word); {
		case at == 0:
			b.WriteString("  " + word)
			at = 2 + n
		case at+1+n > width:
			b.WriteString("\n  " + word)
			at = 2 + n
		default:
			b.WriteString(" " + word)
			at += 1 + n
		}
	}
	return b.String()
}

var retrieversText = "--retriever takes a comma-separated list of retrievers, each evaluated by itself:\n\n" +
	wrap(pipeline.RetrieverHelp) + `

bm25 runs on Bleve's analysers. dense:DIR is an ONNX embedder, dense:ollama:NAME one that
Ollama serves. sparse:DIR is an ONNX model of learned sparse retrieval, such as SPLADE; query=
names what encodes queries where DIR does not say it: another folder, idf.json, tokens for the
queries' own tokens, or vectors in a file. sparse:FILE,query=FILE ranks by vectors that are there
already, as Anserini keeps them. given is the ranking that came with the data. oracle shows the gold
documents, oracle-k as many of them as of any ranking, oracle1 the best one; full shows the whole corpus, in its own order or
with the gold documents at one place; none shows nothing. The last line fuses rankings, or
has a model split the query first.

After ">" stages rerank what was found, or say what is shown of it:

` + wrap(pipeline.StageHelp) + `

For example: ` + pipeline.Example + `
docs/retrieval.md has all of this at length, and the form of the YAML file.`

var generatorsText = `--generator takes a comma-separated list of generators, each evaluated by itself:

  extractive    copies the sentences that answer best; needs no model
  ollama:NAME   a model that Ollama serves
  openai:NAME   a model that vLLM, SGLang, llama.cpp or LM Studio serves; see lore help servers
  ` + run.Gold + `          the reference answers: what a perfect generator would score

Answers of your own come from files, --answers FILE: lines of {"item", "answer"}, or a
list of texts in the order of the items. Or they are asked for over HTTP, --system URL:
POST {"query", "k"}, answered by {"answer", "documents": [ids]}.

A service with another form is described by a file, --system FILE.yaml:

  url: http://127.0.0.1:8000/ask
  headers: {Authorization: Bearer $TOKEN}        # from the environment, stored nowhere
  body: {question: "{{query}}", top_k: "{{k}}"}  # and {{id}}, the item's
  answer: result.text                            # where in the reply it stands
  documents: {at: result.sources, id: doc_id}    # or text: to find them by their texts
  citations: place                               # [1] is the first of documents; or id, text

Chat endpoints in the style of OpenAI need only preset: openai, url: and model:. Streams are
read as they come, server-sent events and lines of JSON. More keys are name, method, query,
stream, error, cut, end, tokens, k, timeout, slots and retries; docs/systems.md has them all,
with the forms of well-known servers. lore doctor --system FILE tries one question, and shows
what was sent, what came and what was read. A mended file asks nothing again.`

var judgesText = `--judge takes a comma-separated list of judges, each with rows of its own:

  ` + lexicalJudge + `       weighted word overlap; needs no model; fitted on people's labels
  ollama:NAME   a model that Ollama serves
  openai:NAME   a model that vLLM, SGLang, llama.cpp or LM Studio serves
  nli:DIR       an ONNX model in a folder that was trained on entailment; judges coverage,
                entailment and consistency, and flags contradictions
  embed:DIR     the cosine of an embedder's vectors, or embed:ollama:NAME; a baseline
  A+B           A judges all, and where it is not sure both are averaged; A+B+C likewise

The mean of A and B stands where A's score lies in a zone (--unsure), everywhere (--average),
or on the share of the questions where it pays most (--ask-share). B never stands for A.
Where B fails, A's verdict stays, flagged. With weights and maps learnt from people's labels
(lore judge calibrate, --calibration) a pair is at least as good as its better half.

Every table says how far its judges were found to agree with people. lore judge validate
measures a judge on labels of your own, and lore judge audit makes its card.
--runtime, --onnxruntime and --index-dir say what computes ONNX models, and where what they
gave is kept.`

// needCommand refuses a word that names no command.
func needCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, s := range c.Commands() {
		if s.IsAvailableCommand() {
			names = append(names, s.Name())
		}
	}
	return usage.Unknown("command", args[0], names)
}
