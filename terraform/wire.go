package main

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// message is an encoded protobuf message: each method appends a field.
type message []byte

func (m message) bytes(number protowire.Number, value []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, number, protowire.BytesType), value)
}

func (m message) text(number protowire.Number, value string) message {
	if value == "" {
		return m
	}
	return m.bytes(number, []byte(value))
}

func (m message) number(number protowire.Number, value uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, number, protowire.VarintType), value)
}

func (m message) flag(number protowire.Number, value bool) message {
	if !value {
		return m
	}
	return m.number(number, 1)
}

// entry appends an entry of a map with string keys.
func (m message) entry(number protowire.Number, key string, value message) message {
	return m.bytes(number, message{}.text(1, key).bytes(2, value))
}

// fields is a decoded protobuf message with the last value of each field. No message from Terraform repeats a field.
type fields map[protowire.Number][]byte

func parse(bytes []byte) (fields, error) {
	found := fields{}
	for len(bytes) > 0 {
		number, kind, n := protowire.ConsumeTag(bytes)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		bytes = bytes[n:]
		if kind != protowire.BytesType {
			// The numbers in requests are capabilities and the only state version; they are ignored.
			n = protowire.ConsumeFieldValue(number, kind, bytes)
		} else {
			var value []byte
			value, n = protowire.ConsumeBytes(bytes)
			found[number] = value
		}
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		bytes = bytes[n:]
	}
	return found, nil
}

func (f fields) text(number protowire.Number) string { return string(f[number]) }

// value decodes a DynamicValue: a Terraform object, or nil.
func (f fields) value(number protowire.Number) (object, error) {
	if len(f[number]) == 0 {
		return nil, nil
	}
	inner, err := parse(f[number])
	if err != nil {
		return nil, err
	}
	if inner[1] == nil {
		return nil, errors.New("Terraform values must be encoded as MessagePack.")
	}
	return decodeObject(inner[1])
}

// dynamic encodes an object as a DynamicValue.
func dynamic(attributes []attribute, value object) message {
	return message{}.bytes(1, encodeObject(attributes, value))
}
