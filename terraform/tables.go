package main

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// attribute of a resource or a data source.
type attribute struct {
	Name string `json:"name"`
	// "string", "number", "bool", "set" or "list" of strings; "object" or "objects" with attributes of their own.
	Type        string      `json:"type"`
	Attributes  []attribute `json:"attributes,omitempty"`
	Description string      `json:"description,omitempty"`
	Required    bool        `json:"required,omitempty"`
	Optional    bool        `json:"optional,omitempty"`
	Computed    bool        `json:"computed,omitempty"`
	Sensitive   bool        `json:"sensitive,omitempty"`
	// It is a field of the request that creates, or of the one that updates.
	Create bool `json:"create,omitempty"`
	Update bool `json:"update,omitempty"`
	// Another value does not ask for another resource, though the update does not take it.
	InPlace bool `json:"in_place,omitempty"`
	// The service does not answer with it: the state has it from the configuration.
	Unread bool `json:"unread,omitempty"`
	// What the service calls it in its answers, where that is another name.
	From string `json:"from,omitempty"`
	// What may be given for it.
	Values  []string `json:"values,omitempty"`
	Minimum *int64   `json:"minimum,omitempty"`
	Maximum *int64   `json:"maximum,omitempty"`
	// A name, or the number of what has none.
	TextOrNumber bool `json:"text_or_number,omitempty"`
}

func (a attribute) isSet() bool { return a.Type == "set" }

func (a attribute) isConfigurable() bool { return a.Required || a.Optional }

func (a attribute) answered() string {
	if a.From != "" {
		return a.From
	}
	return a.Name
}

// call is an operation: its method, and its path with names of attributes in braces.
type call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

type kind struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Attributes  []attribute `json:"attributes"`
	Create      *call       `json:"create,omitempty"`
	Read        *call       `json:"read,omitempty"`
	Update      *call       `json:"update,omitempty"`
	Delete      *call       `json:"delete,omitempty"`
	// The field of the answer to Create that has the thing; beside it is the job that makes it.
	Answer string `json:"answer,omitempty"`
	// Read is a list in which the thing is looked for.
	InList bool `json:"in_list,omitempty"`
	// Data sources: the field of the answer, and the query that is given.
	Items string   `json:"items,omitempty"`
	Query []string `json:"query,omitempty"`
	// Data sources: attributes of which one finds the thing in the list.
	FindBy []string `json:"find_by,omitempty"`
}

func (k kind) attribute(name string) *attribute {
	for i := range k.Attributes {
		if k.Attributes[i].Name == name {
			return &k.Attributes[i]
		}
	}
	return nil
}

//go:embed tables.json
var tablesText []byte

// tables is what is generated from the operations of the service.
type tables struct {
	Resources   []kind `json:"resources"`
	DataSources []kind `json:"data_sources"`
}

func readTables() tables {
	var found tables
	must(json.Unmarshal(tablesText, &found))
	return found
}

func byName(kinds []kind, typeName string) *kind {
	for i := range kinds {
		if kinds[i].Name == strings.TrimPrefix(typeName, typePrefix) {
			return &kinds[i]
		}
	}
	return nil
}

const typePrefix = "vauban_"

// How deep objects lie, in the protocol.
const (
	nestedSingle = 1
	nestedList   = 2
)

// schemaOf is the Schema of the protocol.
func schemaOf(description string, attributes []attribute) message {
	block := message{}
	for _, one := range attributes {
		block = block.bytes(2, attributeOf(one))
	}
	return message{}.bytes(2, block.text(4, description))
}

func attributeOf(one attribute) message {
	m := message{}.text(1, one.Name).text(3, one.Description)
	switch one.Type {
	case "object", "objects":
		nested := message{}
		for _, inner := range one.Attributes {
			nested = nested.bytes(1, attributeOf(inner))
		}
		mode := uint64(nestedSingle)
		if one.Type == "objects" {
			mode = nestedList
		}
		m = m.bytes(10, nested.number(3, mode))
	case "set", "list":
		m = m.text(2, `["`+one.Type+`","string"]`)
	default:
		m = m.text(2, `"`+one.Type+`"`)
	}
	return m.flag(4, one.Required).flag(5, one.Optional).flag(6, one.Computed).flag(7, one.Sensitive)
}
