package main

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// attribute is an attribute of a resource or a data source.
type attribute struct {
	Name string `json:"name"`
	// "string", "number", "bool", "set" or "list" of strings; "object" or "objects" with nested attributes.
	Type        string      `json:"type"`
	Attributes  []attribute `json:"attributes,omitempty"`
	Description string      `json:"description,omitempty"`
	Required    bool        `json:"required,omitempty"`
	Optional    bool        `json:"optional,omitempty"`
	Computed    bool        `json:"computed,omitempty"`
	Sensitive   bool        `json:"sensitive,omitempty"`
	// The attribute is a field of the create request or of the update request.
	Create bool `json:"create,omitempty"`
	Update bool `json:"update,omitempty"`
	// A change does not replace the resource although the update request does not include the attribute.
	InPlace bool `json:"in_place,omitempty"`
	// The service does not return the attribute: the state takes it from the configuration.
	Unread bool `json:"unread,omitempty"`
	// The service's name of the attribute in replies, if it differs.
	From string `json:"from,omitempty"`
	// The accepted values.
	Values  []string `json:"values,omitempty"`
	Minimum *int64   `json:"minimum,omitempty"`
	Maximum *int64   `json:"maximum,omitempty"`
	// Accepts a name, or the number of something that has no name.
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

// call is an operation: its method, and its path with attribute names in braces.
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
	// The field of the Create reply that contains the thing; the reply also contains the job that creates it.
	Answer string `json:"answer,omitempty"`
	// Read is a list that contains the thing.
	InList bool `json:"in_list,omitempty"`
	// For data sources: the field of the reply, and the query parameters.
	Items string   `json:"items,omitempty"`
	Query []string `json:"query,omitempty"`
	// For data sources: attributes of which one identifies the item of the list.
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

// tables is generated from the operations of the service.
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

// The nesting modes of the protocol.
const (
	nestedSingle = 1
	nestedList   = 2
)

// schemaOf returns a Schema message of the protocol.
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
