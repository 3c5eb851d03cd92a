package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/embed"
)

// Names of the flags of all that computes ONNX models: retrievers and judges.
const (
	indexFlag   = "index-dir"
	runtimeFlag = "runtime"
	libraryFlag = "onnxruntime"
)

// runtimes are what computes ONNX models.
var runtimes = []string{embed.Hugot, embed.ONNXRuntime}

func encoderFlags(fl *pflag.FlagSet, indexDir, runtime, library *string) {
	fl.StringVar(indexDir, indexFlag, "",
		"`folder` for indexes and vectors (default: lore/index in the user's cache folder)")
	fl.StringVar(runtime, runtimeFlag, embed.Hugot,
		"what computes ONNX models: "+embed.Hugot+", or "+embed.ONNXRuntime+" in builds by make build-ort")
	fl.StringVar(library, libraryFlag, "", "`path` of libonnxruntime (default: $LORE_ONNXRUNTIME)")
}

// addEncoders gives the flags to a verb that opens judges, where retrievers have not brought
// them.
func addEncoders(c *cobra.Command) {
	if c.Flags().Lookup(runtimeFlag) != nil {
		return
	}
	topic(c, judgingFlags, judgesTopic, func(fl *pflag.FlagSet) {
		encoderFlags(fl, new(string), new(string), new(string))
	})
}

// encoders reads the flags. What models gave is kept in the user's cache folder, or in the
// folder out where there is none.
func encoders(c *cobra.Command, out string) (models.Encoders, error) {
	value := func(name string) string { return c.Flags().Lookup(name).Value.String() }
	e := models.Encoders{
		Dir:    value(indexFlag),
		Engine: embed.Engine{Runtime: value(runtimeFlag), Library: value(libraryFlag)},
	}
	if e.Dir == "" {
		e.Dir = indexDir(out)
	}
	if !slices.Contains(runtimes, e.Engine.Runtime) {
		return e, usage.Unknown("runtime", e.Engine.Runtime, runtimes)
	}
	return e, nil
}
