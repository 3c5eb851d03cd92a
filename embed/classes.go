package embed

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// What a class of an entailment model says of premise and hypothesis.
const (
	Entails     = "entailment"
	IsNeutral   = "neutral"
	Contradicts = "contradiction"
	NotEntailed = "not entailment" // neutral or contradiction: models of two classes do not say which
)

// How the outputs of an entailment model are read.
const (
	readSoftmax    = "softmax"    // probabilities of classes that exclude each other
	readSigmoid    = "sigmoid"    // one logit
	readRegression = "regression" // one value as it is, brought to 0..1
)

// spellings are the names of classes as models have them, without case, spaces and signs.
var spellings = map[string][]string{
	Entails: {
		"entailment", "entail", "entails", "entailed", "supported", "supports", "support", "consistent", "faithful",
		"attributable",
	},
	IsNeutral: {
		"neutral", "undetermined", "unknown", "notenoughinfo", "notenoughinformation", "nei", "unrelated",
	},
	Contradicts: {
		"contradiction", "contradict", "contradicts", "contradicted", "contradictory", "refuted", "refutes", "refute",
	},
	NotEntailed: {
		"notentailment", "notentail", "notentailed", "nonentailment", "noentailment", "unsupported", "notsupported",
		"inconsistent", "unfaithful", "hallucinated", "hallucination", "notattributable",
	},
}

// meaning is what a class's name says; empty where it says nothing.
func meaning(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))

	for _, class := range []string{Entails, IsNeutral, Contradicts, NotEntailed} {
		if slices.Contains(spellings[class], plain) {
			return class
		}
	}
	return ""
}

// saysNothing reports whether a name only numbers a class, as LABEL_0 and 0 do.
func saysNothing(name string) bool {
	_, err := strconv.Atoi(strings.TrimPrefix(strings.ToUpper(name), "LABEL_"))
	return err == nil
}

// labelRemedy says how people name classes by themselves.
const labelRemedy = "write what its outputs mean, in their order, into its " + OverrideFile +
	`, such as {"labels": ["contradiction", "entailment", "neutral"]}`

// classConfig is what config.json says of a classifier.
type classConfig struct {
	Names   map[string]any `json:"id2label"`
	Numbers map[string]any `json:"label2id"`
	Count   int            `json:"num_labels"`
	Problem string         `json:"problem_type"`
}

// classes finds out what the outputs of an entailment model mean, and writes it into the
// settings.
func (f *folder) classes() error {
	var config classConfig
	found, err := f.read("config.json", &config)
	if err != nil {
		return err
	}
	names := f.over.Labels
	if names == nil {
		if !found {
			return f.unclear("has no config.json, whose id2label says what its outputs mean",
				"copy the whole folder, or "+labelRemedy)
		}
		if names, err = f.named(config); err != nil {
			return err
		}
	}

	s := &f.settings
	if len(names) == 1 {
		return f.oneOutput(names[0], config.Problem)
	}
	if s.Labels, err = f.meanings(names); err != nil {
		return err
	}
	s.Reading = readSoftmax
	switch {
	case f.over.Reading != "" && f.over.Reading != readSoftmax:
		return f.unclear(fmt.Sprintf("is read by %s in its %s, and has %d classes",
			f.over.Reading, OverrideFile, len(names)), "only a model of one output is")
	case f.over.Labels == nil && config.Problem != "" && config.Problem != "single_label_classification":
		return f.unclear(fmt.Sprintf("has %d outputs and the problem_type %s: they do not exclude each other",
			len(names), config.Problem), "choose a model of one class per pair, or "+labelRemedy)
	}
	return nil
}

// unclear refuses a model whose outputs cannot be read.
func (f *folder) unclear(msg, remedy string) error {
	return &ModelError{Dir: f.dir, Msg: msg, Remedy: remedy}
}

// named lists the names of the classes by their places.
func (f *folder) named(config classConfig) ([]string, error) {
	n := len(config.Names)
	if n == 0 && config.Count == 1 {
		return []string{"LABEL_0"}, nil
	}
	if n == 0 {
		return nil, f.unclear("does not say what its outputs mean: its config.json has no id2label", labelRemedy)
	}

	names := make([]string, n)
	for i := range names {
		name, ok := config.Names[strconv.Itoa(i)]
		if !ok {
			return nil, f.unclear(fmt.Sprintf("has an id2label of %d classes without the number %d", n, i), labelRemedy)
		}
		names[i] = fmt.Sprint(name)
	}
	if n > 1 && !slices.ContainsFunc(names, func(name string) bool { return !saysNothing(name) }) {
		return f.numbered(config, names)
	}

	for i, name := range names {
		if at, ok := config.Numbers[name]; ok && fmt.Sprint(at) != strconv.Itoa(i) {
			return nil, f.unclear(fmt.Sprintf("contradicts itself: %s is the class %d by id2label and %v by label2id",
				name, i, at), labelRemedy)
		}
	}
	return names, nil
}

// numbered takes the names from label2id where id2label only numbers the classes.
func (f *folder) numbered(config classConfig, numbers []string) ([]string, error) {
	names := make([]string, len(numbers))
	for name, at := range config.Numbers {
		i, err := strconv.Atoi(fmt.Sprint(at))
		if saysNothing(name) || err != nil || i < 0 || i >= len(names) || names[i] != "" {
			continue
		}
		names[i] = name
	}
	if slices.Contains(names, "") {
		return nil, f.unclear(fmt.Sprintf("only numbers its classes: %s", strings.Join(numbers, ", ")), labelRemedy)
	}
	return names, nil
}

// meanings reads the names of two or three classes. They must be one each of what is known.
func (f *folder) meanings(names []string) ([]string, error) {
	if len(names) != 2 && len(names) != 3 {
		return nil, f.unclear(fmt.Sprintf("has %d classes: %s; a model of entailment has 1 to 3",
			len(names), strings.Join(names, ", ")), "choose a model that was trained on entailment")
	}

	out := make([]string, len(names))
	for i, name := range names {
		class := meaning(name)
		switch {
		case class == "":
			return nil, f.unclear(fmt.Sprintf("has a class %q, which does not say whether a text follows from another "+
				"(its classes: %s)", name, strings.Join(names, ", ")),
				"choose a model that was trained on entailment; if it was, "+labelRemedy)
		case slices.Contains(out, class):
			return nil, f.unclear(fmt.Sprintf("names two classes that mean %s: %s",
				class, strings.Join(names, ", ")), labelRemedy)
		}
		out[i] = class
	}

	switch {
	case !slices.Contains(out, Entails):
		return nil, f.unclear("has no class for entailment: "+strings.Join(names, ", "), labelRemedy)
	case len(out) == 3 && slices.Contains(out, NotEntailed):
		return nil, f.unclear("mixes classes of models with two and with three: "+strings.Join(names, ", "), labelRemedy)
	}
	return out, nil
}

// oneOutput reads a model of one output: a logit, or a value.
func (f *folder) oneOutput(name, problem string) error {
	s := &f.settings
	if class := meaning(name); class != "" && class != Entails {
		return f.unclear(fmt.Sprintf("has one output, %s, which falls where entailment rises", name),
			"choose a model whose output is entailment")
	}

	s.Labels, s.Reading = []string{Entails}, readSigmoid
	if problem == readRegression {
		s.Reading = readRegression
	}
	if r := f.over.Reading; r != "" {
		s.Reading = r
	}
	if s.Reading == readRegression {
		s.Scale = []float64{0, 1}
		if f.over.Scale != nil {
			s.Scale = f.over.Scale
		}
		return nil
	}

	if problem == "" && f.over.Reading == "" {
		f.note("one logit is read by a sigmoid; a regression says so by its problem_type in config.json, " +
			`or by "reading": "regression" in its ` + OverrideFile)
	}
	return nil
}

// checkClasses refuses fields of OverrideFile that no model of entailment can have.
func (over override) checkClasses() (msg, remedy string) {
	readings := []string{readSoftmax, readSigmoid, readRegression}
	switch {
	case over.Labels != nil && len(over.Labels) == 0:
		return "has no labels", "write one for each output"
	case over.Reading != "" && !slices.Contains(readings, over.Reading):
		return fmt.Sprintf("asks for the reading %q", over.Reading), "there are: " + strings.Join(readings, ", ")
	case over.Scale != nil && (len(over.Scale) != 2 || over.Scale[0] >= over.Scale[1]):
		return fmt.Sprintf("has the scale %v", over.Scale), "write the least and the greatest value, such as [0, 5]"
	}
	return "", ""
}

// probabilities turns the outputs for one pair into probabilities, by class.
func (s Settings) probabilities(logits []float32) []float64 {
	out := make([]float64, len(logits))
	switch s.Reading {
	case readSigmoid:
		out[0] = 1 / (1 + math.Exp(-float64(logits[0])))
	case readRegression:
		out[0] = min(1, max(0, (float64(logits[0])-s.Scale[0])/(s.Scale[1]-s.Scale[0])))
	default:
		most, sum := slices.Max(logits), 0.0
		for i, l := range logits {
			out[i] = math.Exp(float64(l) - float64(most))
			sum += out[i]
		}
		for i := range out {
			out[i] /= sum
		}
	}
	return out
}
