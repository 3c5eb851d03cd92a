package main

import "github.com/spf13/pflag"

// commaList is a flag of a list with commas that may be given several times: the lists are put together.
type commaList struct {
	to    *string
	given bool
}

// commaVar adds such a flag.
func commaVar(fl *pflag.FlagSet, to *string, name, explain string) {
	fl.Var(&commaList{to: to}, name, explain)
}

// Set adds to the list.
func (l *commaList) Set(value string) error {
	if l.given {
		value = *l.to + "," + value
	}
	*l.to, l.given = value, true
	return nil
}

// String is the list.
func (l *commaList) String() string {
	if l.to == nil {
		return ""
	}
	return *l.to
}

// Type is what help says of the value where its text names none.
func (l *commaList) Type() string { return "string" }
