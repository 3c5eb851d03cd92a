package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/study"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/local/files"
	"lore/local/ollama"
)

// studyFile and schemaFile are what `lore study init` writes.
const (
	studyFile  = "study.yaml"
	schemaFile = "study.schema.json"
)

func newStudy() *cobra.Command {
	return parent("study", "Write and check study files",
		"A study file names several benchmarks with their data, systems and judges. lore run STUDY.yaml\n"+
			"runs them together into one folder with one report; lore help study says what it may hold.",
		"  lore study init\n  lore study check study.yaml\n  lore run study.yaml",
		newStudyInit(), newStudyCheck(), newStudySchema())
}

func newStudyInit() *cobra.Command {
	var host hostFlags
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented study file from what is found here",
		Long: "init asks the model server which models it has, and writes a study file with comments, by default\n" +
			studyFile + ", with its schema beside it, by which editors complete names and mark mistakes.",
		Example: "  lore study init\n  lore study init night.yaml",
		Args:    usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			file := studyFile
			if len(args) > 0 {
				file = args[0]
			}
			return initStudy(c, host, file)
		},
	}
	group(c, modelsFlags, func(fl *pflag.FlagSet) { host.add(fl) })
	return c
}

func initStudy(c *cobra.Command, host hostFlags, file string) error {
	if !isStudy(file) || strings.EqualFold(file, allBenchmarks) {
		return usage.Errorf("%s should end in .yaml: by that lore run tells a study from a benchmark", file)
	}
	found := study.Found{Schema: "./" + schemaFile}
	found.Server, found.Models = servedModels(c.Context(), host.server())
	for _, b := range all.Benchmarks() {
		found.Benchmarks = append(found.Benchmarks, study.About{Name: b.Name(), About: b.About(), Retrievers: b.Protocol().Retrievers})
	}
	found.Retrievers = []string{"bm25", "random", "oracle"}

	var text bytes.Buffer
	if err := found.Write(&text); err != nil {
		return err
	}
	if _, err := studyReader().Read(file, text.Bytes()); err != nil {
		return fmt.Errorf("the study that lore would write is wrong; write one by hand: %w", err)
	}
	schema, err := studyReader().Schema()
	if err != nil {
		return fmt.Errorf("make the schema: %w", err)
	}
	out, err := files.CreateNew(file)
	if errors.Is(err, fs.ErrExist) {
		return usage.Errorf("%s is there already; name another file, or move it away", file)
	}
	if err != nil {
		return fmt.Errorf("write the study: %w", err)
	}
	_, err = out.Write(text.Bytes())
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("write the study: %w", err)
	}
	if err := files.WriteFile(filepath.Join(filepath.Dir(file), schemaFile), append(schema, '\n')); err != nil {
		return fmt.Errorf("write the schema: %w", err)
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s is written, with %s for editors. Look at it, then: lore run %s\n", file, schemaFile, file)
	return nil
}

// servedModels are the models of the server that can answer, and the server in words.
func servedModels(ctx context.Context, server models.Server) (string, []study.Model) {
	none := "No model server: these parts are built in, and need none."
	if server.Refused != nil {
		return none, nil
	}
	client, err := ollama.NewClient(ollama.Config{Host: server.URL})
	if err != nil {
		return none, nil
	}
	version, err := client.Version(ctx)
	if err != nil {
		return none, nil
	}
	list, err := client.Models(ctx)
	if err != nil {
		return none, nil
	}

	var out []study.Model
	for _, m := range list {
		info, err := client.Model(ctx, m.Name)
		if err != nil || info.Embeds {
			continue
		}
		about := strings.TrimSpace(fmt.Sprintf("%s %s, trained for %d tokens", info.Parameters, info.Quantization, info.Context))
		out = append(out, study.Model{Name: ollama.BackendName + ":" + m.Name, About: about})
	}
	if len(out) == 0 {
		return fmt.Sprintf("Ollama %s is running, and has no model that answers: ollama pull NAME fetches one.", version), nil
	}
	return fmt.Sprintf("Ollama %s has these models:", version), out
}

func newStudyCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Say what a study would run, and what is wrong with it",
		Long: "check reads a study file and the data that it names, and lists its runs. No model is\n" +
			"asked, and nothing is written.",
		Example: "  lore study check study.yaml",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := openStudy(c, args)
			if err != nil {
				return err
			}
			defer s.close()
			if err := s.load(); err != nil {
				return err
			}
			if err := s.tellLacks(); err != nil {
				return err
			}
			report.Text(c.OutOrStdout(), s.plan())
			fmt.Fprintf(c.ErrOrStderr(), "Next: lore run %s\n", args[0])
			return nil
		},
	}
}

// plan lists the runs.
func (s *studied) plan() datasets.Grid {
	g := datasets.Grid{Head: []string{"run", "benchmark", "data", "items", "systems", "judges", "seed"}}
	for i, p := range s.runs {
		data := "the sample"
		if d := s.study.Runs[i].Data; len(d) > 0 {
			data = strings.Join(d, ", ")
		}
		g.Rows = append(g.Rows, []string{
			p.name, p.bench.Name(), data, fmt.Sprint(len(p.opt.Items(p.data))), fmt.Sprint(p.opt.Systems()),
			strings.Join(p.opt.Judges, ", "), fmt.Sprint(p.opt.Seed),
		})
	}
	return g
}

func newStudySchema() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of study files",
		Example: "  lore study schema > " + schemaFile,
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			schema, err := studyReader().Schema()
			if err != nil {
				return fmt.Errorf("make the schema: %w", err)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s\n", schema)
			return nil
		},
	}
}

const studyTopic = "study"

// printStudyHelp is the page of help about study files.
func printStudyHelp(w io.Writer) {
	fmt.Fprintln(w, studyText)
	settings := map[string][][2]string{}
	headings := []string{"For the whole study", "For all benchmarks, or below one"}
	for _, s := range studyReader().Settings {
		heading, help := headings[1], s.Help
		if s.Whole {
			heading = headings[0]
		}
		if len(s.Of) > 0 {
			help += " (" + strings.Join(s.Of, ", ") + ")"
		}
		settings[heading] = append(settings[heading], [2]string{s.Plural(), help})
	}
	for _, h := range headings {
		printList(w, h, settings[h])
	}
}

var studyText = `lore run STUDY.yaml runs several benchmarks together, into one folder with one report:

  title: Two models on all benchmarks
  benchmarks:
    summhay:
      data: [topic_news1.json, topic_news2.json]
      limit: 20
    crux:
    stories:            # a name of your own
      benchmark: msrs
      data: MSRS/story
  retrievers: [bm25, random, oracle]
  generators: ["ollama:qwen3:8b", "ollama:llama3.1:8b"]
  judges: [lexical, "lexical+ollama:qwen3:8b"]
  slots: 4
  repetitions: 3        # or seeds: [7, 8, 9]

A benchmark without data is run on its sample; a list of names, benchmarks: [summhay, crux], does
where nothing is said of them. Settings are the flags of lore run: what stands below a benchmark
holds for it, instead of what stands beside benchmarks. Lists stand in brackets or have a line
each. Paths are relative to the file. Names may have _ for -.

Every phase is done for all benchmarks before the next, and in it one model after the other, so that
the server loads each model once a phase; and each model has one context window for all benchmarks.
The folder, lore-runs/NAME-HASH or out:, holds a run folder for each benchmark and seed, report.html
and report.md over all. The same command goes on where it was interrupted. On the command line,
--limit, --subset and the flags of models win over the file; --limit 2 tries a study out.

lore run all runs the samples of all benchmarks so, with the flags that are given.
lore study init writes a study from what is found here, lore study check says what one would run, and
lore study schema prints the schema by which editors complete names and mark mistakes.`
