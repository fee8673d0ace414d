package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// notes is private data that Terraform stores with a resource's state without reading it.
type notes struct {
	// The service's own spelling of normalized values, by attribute.
	Forms map[string]string `json:"forms,omitempty"`
	// Set after an import: attributes that the service does not return are taken from the configuration.
	Imported bool `json:"imported,omitempty"`
	// The Idempotency-Key of the planned change.
	Once string `json:"once,omitempty"`
}

func readNotes(text []byte) notes {
	var found notes
	if len(text) > 0 {
		must(json.Unmarshal(text, &found))
	}
	return found
}

func (n notes) write() []byte {
	text, err := json.Marshal(n)
	must(err)
	return text
}

func newOnce() string {
	random := make([]byte, 16)
	_, err := rand.Read(random)
	must(err)
	return "terraform-" + hex.EncodeToString(random)
}

const defaultTimeout = 10 * time.Minute

func invalidTimeouts(timeouts object) error {
	for name, value := range timeouts {
		if text, ok := value.(string); ok {
			if length, err := time.ParseDuration(text); err != nil || length <= 0 {
				return fmt.Errorf("%s is %q, which is not a duration such as 10m.", name, text)
			}
		}
	}
	return nil
}

func timeoutOf(value object, action string) time.Duration {
	if timeouts, ok := value["timeouts"].(object); ok {
		if text, ok := timeouts[action].(string); ok {
			if length, err := time.ParseDuration(text); err == nil {
				return length
			}
		}
	}
	return defaultTimeout
}

// echo returns the state after a change. Known values stay as written; if the service spells one differently, that is
// noted. Other differences show up at the next refresh.
func (c *change) echo(known, answered object) object {
	state := object{}
	for _, one := range c.kind.Attributes {
		value, isAnswered := answered[one.answered()]
		isAnswered = isAnswered && !one.Unread
		seen := fromJSON(one, value)
		switch {
		case !isAnswered && isUnknown(known[one.Name]):
			state[one.Name] = nil
		case !isAnswered:
			state[one.Name] = known[one.Name]
		case isUnknown(known[one.Name]):
			state[one.Name] = seen
		default:
			state[one.Name] = known[one.Name]
			if c.prior == nil || c.differs(one) {
				c.notes.note(one, known[one.Name], seen)
			}
		}
	}
	return state
}

func (n *notes) note(one attribute, written, seen interface{}) {
	delete(n.Forms, one.Name)
	if equal(one, written, seen) {
		return
	}
	if n.Forms == nil {
		n.Forms = map[string]string{}
	}
	n.Forms[one.Name] = canonical(one, seen)
}

// refresh returns the service's current state, keeping the spelling of the old state for equal values.
func refresh(k *kind, state, answered object, n *notes) object {
	fresh := object{}
	for _, one := range k.Attributes {
		value, isAnswered := answered[one.answered()]
		seen := fromJSON(one, value)
		form, isNoted := n.Forms[one.Name]
		switch {
		case !isAnswered || one.Unread:
			fresh[one.Name] = state[one.Name]
		case isNoted && form == canonical(one, seen), equal(one, state[one.Name], seen):
			fresh[one.Name] = state[one.Name]
		default:
			delete(n.Forms, one.Name)
			fresh[one.Name] = seen
		}
	}
	return fresh
}

// look returns a thing, or nil if it does not exist or is being deleted.
func (a *api) look(ctx context.Context, k *kind, state object) (object, error) {
	found, err := a.existing(ctx, k, state)
	if found["status"] == "deleting" || found["status"] == "removing" {
		return nil, err
	}
	return found, err
}

// existing is look, but also returns things that are being deleted.
func (a *api) existing(ctx context.Context, k *kind, state object) (object, error) {
	if !k.InList {
		found, err := a.doObject(ctx, request{call: *k.Read, at: state})
		if isGone(err) {
			return nil, nil
		}
		return found, err
	}
	items, err := a.list(ctx, request{call: *k.Read, at: state})
	if isGone(err) {
		return nil, nil
	}
	for _, item := range items {
		if item["id"] == state["id"] {
			return item, err
		}
	}
	return nil, err
}

func (p *provider) readResource(call context.Context, f fields) message {
	ctx, cancel := p.during(call, defaultTimeout)
	defer cancel()
	k, err := p.resource(f)
	if err != nil {
		return failed(2, err)
	}
	state, err := f.value(2)
	if err != nil {
		return failed(2, err)
	}
	a, err := p.api()
	if err != nil {
		return failed(2, err)
	}
	found, err := a.look(ctx, k, state)
	if err != nil {
		return failed(2, err)
	}
	if found == nil {
		return message{}.bytes(1, dynamic(k.Attributes, nil))
	}
	n := readNotes(f[3])
	fresh := refresh(k, state, found, &n)
	return message{}.bytes(1, dynamic(k.Attributes, fresh)).bytes(3, n.write())
}

// bodyOf returns a request body with the attributes that are set and that `isField` selects.
func bodyOf(attributes []attribute, value object, isField func(attribute) bool) object {
	body := object{}
	for _, one := range attributes {
		given := value[one.Name]
		if !isField(one) || isUnknown(given) {
			continue
		}
		body[one.Name] = toJSON(one, given)
	}
	return body
}

func toJSON(one attribute, value interface{}) interface{} {
	switch value := value.(type) {
	case string:
		if number, err := strconv.ParseUint(value, 10, 31); one.TextOrNumber && err == nil {
			return number
		}
	case object:
		return bodyOf(one.Attributes, value, func(inner attribute) bool { return value[inner.Name] != nil })
	}
	return value
}

// create creates a thing, waits for its job and returns the result.
func (a *api) create(ctx context.Context, k *kind, planned object) (object, error) {
	body := bodyOf(k.Attributes, planned, func(one attribute) bool { return one.Create && planned[one.Name] != nil })
	r := request{call: *k.Create, at: planned, body: body}
	vmID, _ := planned["vm_id"].(string)
	answered, err := a.unlocked(ctx, vmID, r)
	if err != nil || k.Answer == "" {
		return answered, err
	}
	made, _ := answered[k.Answer].(object)
	if _, err := a.finish(ctx, answered); err != nil {
		return made, err
	}
	at := copyOf(planned)
	at["id"] = made["id"]
	found, err := a.look(ctx, k, at)
	if found == nil {
		return made, err
	}
	return found, err
}

// remove deletes a thing and waits until it is gone.
func (a *api) remove(ctx context.Context, k *kind, state object, once string) error {
	vmID, _ := state["vm_id"].(string)
	if k.Name == "vm" {
		vmID, _ = state["id"].(string)
	}
	deletion := request{call: *k.Delete, at: state, once: once}
	started, err := a.unlocked(ctx, vmID, deletion)
	if err == nil {
		_, err = a.finish(ctx, started)
	}
	// A deleted rule stays listed, and its port taken, until the engine has released it.
	for err == nil && k.InList {
		found, failure := a.existing(ctx, k, state)
		if found == nil || failure != nil {
			return failure
		}
		if !pause(ctx, releasePause) {
			return timedOut(ctx, deletion)
		}
	}
	if isGone(err) {
		return nil
	}
	return err
}
