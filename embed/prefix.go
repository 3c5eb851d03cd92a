package embed

// Prefixes are what is put before queries and passages. One that is nil is not said: it is
// looked up.
type Prefixes struct {
	Query, Passage *string
}

// origin says where the prefixes of queries and of passages are from.
type origin struct {
	query, passage string
}

// set puts prefixes that were given before all others; from says where they were given.
func (p Prefixes) set(s *Settings, o *origin, from string) {
	if p.Query != nil {
		s.QueryPrefix, o.query = *p.Query, from
	}
	if p.Passage != nil {
		s.PassagePrefix, o.passage = *p.Passage, from
	}
}

// asGiven is where prefixes of the command line are from.
const asGiven = "prefixes as given"

// settle is the last step for settings: prefixes that were given, then what is to be noted.
func (s *Settings) settle(given []Prefixes, o origin) {
	for _, p := range given {
		p.set(s, &o, asGiven)
	}
	s.EachWindow = s.QueryPrefix != "" || s.PassagePrefix != ""
	if o.query == o.passage {
		s.Notes = append(s.Notes, o.query)
		return
	}
	s.Notes = append(s.Notes, "of queries: "+o.query, "of documents: "+o.passage)
}

// prefix is the one of a role.
func (s Settings) prefix(role Role) string {
	if role == Query {
		return s.QueryPrefix
	}
	return s.PassagePrefix
}
