package datasets

// Published says where the data of a benchmark was published, and what lore makes of it. Every
// fact names what it is from; what nobody has found out is empty, and shown as not stated.
type Published struct {
	Reads   string  `json:"reads"`   // what can be given to lore run, in a few words
	Places  []Place `json:"places"`  // none: the data is not public
	Licence Fact    `json:"licence"` // without a text it is not stated
	Parts   []Part  `json:"parts"`
	Notes   []Fact  `json:"notes"`
}

// Place is where data can be had. Its name is the one by which people know it, such as
// owner/name, and no address: lore asks nobody.
type Place struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"` // such as "GitHub"
	Source string `json:"source"`
}

// Fact is a statement with its source.
type Fact struct {
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
}

// Part is a file or folder of the published data.
type Part struct {
	Path   string `json:"path"`             // below the folder that cloning or unpacking makes
	Layout string `json:"layout"`           // form and fields
	Read   string `json:"read,omitempty"`   // the command that reads it as it is; empty: none does
	Import string `json:"import,omitempty"` // the command that converts it; empty: none does
	Unread string `json:"unread,omitempty"` // what of it lore does not read; empty: it reads all
}

// NotStated is shown where a fact is not known.
const NotStated = "not stated"
