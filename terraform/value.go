package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"

	"github.com/vmihailenco/msgpack/v5"
)

// A Terraform value is nil, unknown, a string, a bool, an int64, a []interface{} (a list or a set) or an object.
type object = map[string]interface{}

type unknownValue struct{}

// unknown stands for a value that is known only after the apply.
var unknown = unknownValue{}

func isUnknown(value interface{}) bool { return value == unknown }

func decodeObject(encoded []byte) (object, error) {
	decoder := msgpack.NewDecoder(bytes.NewReader(encoded))
	value, err := decodeValue(decoder)
	if err != nil || value == nil {
		return nil, err
	}
	found, ok := value.(object)
	if !ok {
		return nil, fmt.Errorf("An object was expected, not %T.", value)
	}
	return found, nil
}

func decodeValue(decoder *msgpack.Decoder) (interface{}, error) {
	code, err := decoder.PeekCode()
	if err != nil {
		return nil, err
	}
	switch {
	case code >= 0xd4 && code <= 0xd8, code >= 0xc7 && code <= 0xc9:
		// Terraform uses msgpack extensions only for unknown values and their refinements.
		return unknown, decoder.Skip()
	case code >= 0x80 && code <= 0x8f, code == 0xde, code == 0xdf:
		length, err := decoder.DecodeMapLen()
		found := object{}
		for ; err == nil && length > 0; length-- {
			var key string
			if key, err = decoder.DecodeString(); err == nil {
				found[key], err = decodeValue(decoder)
			}
		}
		return found, err
	case code >= 0x90 && code <= 0x9f, code == 0xdc, code == 0xdd:
		length, err := decoder.DecodeArrayLen()
		found := []interface{}{}
		for ; err == nil && length > 0; length-- {
			var item interface{}
			item, err = decodeValue(decoder)
			found = append(found, item)
		}
		return found, err
	}
	value, err := decoder.DecodeInterfaceLoose()
	switch number := value.(type) {
	case float64:
		if float64(int64(number)) != number {
			return nil, fmt.Errorf("%v is not a whole number.", number)
		}
		return int64(number), err
	case uint64:
		return int64(number), err
	}
	return value, err
}

// encodeObject encodes exactly the attributes of the schema, as Terraform requires.
func encodeObject(attributes []attribute, value object) []byte {
	var buffer bytes.Buffer
	encoder := msgpack.NewEncoder(&buffer)
	encoder.UseCompactInts(true)
	encodeAttributes(encoder, &buffer, attributes, value)
	return buffer.Bytes()
}

func encodeAttributes(encoder *msgpack.Encoder, buffer *bytes.Buffer, attributes []attribute, value object) {
	if value == nil {
		must(encoder.EncodeNil())
		return
	}
	must(encoder.EncodeMapLen(len(attributes)))
	for _, one := range attributes {
		must(encoder.EncodeString(one.Name))
		encodeValue(encoder, buffer, one, value[one.Name])
	}
}

func encodeValue(encoder *msgpack.Encoder, buffer *bytes.Buffer, one attribute, value interface{}) {
	switch value := value.(type) {
	case unknownValue:
		buffer.Write([]byte{0xd4, 0, 0})
	case object:
		encodeAttributes(encoder, buffer, one.Attributes, value)
	case []interface{}:
		must(encoder.EncodeArrayLen(len(value)))
		for _, item := range value {
			encodeValue(encoder, buffer, one, item)
		}
	default:
		must(encoder.Encode(value))
	}
}

// must panics on errors that cannot happen: writing to memory always succeeds, and values have only the few types
// above.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// fromJSON converts a value of the service or of a stored state to the type of the schema.
func fromJSON(one attribute, value interface{}) interface{} {
	switch value := value.(type) {
	case json.Number:
		if one.Type == "string" {
			return value.String()
		}
		number, err := value.Int64()
		must(err)
		return number
	case []interface{}:
		items := make([]interface{}, len(value))
		for i, item := range value {
			items[i] = fromJSON(one, item)
		}
		return items
	case object:
		return objectFromJSON(one.Attributes, value)
	}
	return value
}

func objectFromJSON(attributes []attribute, value object) object {
	found := object{}
	for _, one := range attributes {
		found[one.Name] = fromJSON(one, value[one.Name])
	}
	return found
}

// parseJSON keeps whole numbers exact.
func parseJSON(text []byte, into interface{}) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// equal compares two values of an attribute; the order of a set does not matter.
func equal(one attribute, a, b interface{}) bool {
	return canonical(one, a) == canonical(one, b)
}

func canonical(one attribute, value interface{}) string {
	switch value := value.(type) {
	case unknownValue:
		return "unknown"
	case []interface{}:
		items := make([]string, len(value))
		for i, item := range value {
			items[i] = canonical(one, item)
		}
		if one.isSet() {
			sort.Strings(items)
		}
		return fmt.Sprintf("%q", items)
	case object:
		items := []string{}
		for _, inner := range one.Attributes {
			items = append(items, inner.Name+"="+canonical(inner, value[inner.Name]))
		}
		return fmt.Sprintf("%q", items)
	}
	return fmt.Sprintf("%T:%v", value, value)
}

func copyOf(value object) object {
	copied := object{}
	for name, one := range value {
		copied[name] = one
	}
	return copied
}
