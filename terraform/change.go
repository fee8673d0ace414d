package main

import (
	"context"
	"errors"
	"fmt"
)

// change is a planned change of one resource, with each value decoded once.
type change struct {
	kind *kind
	// nil before a creation.
	prior object
	// nil after a deletion.
	planned object
	config  object
	notes   notes
}

func (p *provider) planChange(call context.Context, f fields) message {
	ctx, cancel := p.during(call, defaultTimeout)
	defer cancel()
	c, err := p.changeOf(f, 2, 3, 4, 5)
	if err != nil {
		return failed(4, err)
	}
	// Each planned change has its own key, so that its requests are done and charged once.
	c.notes.Once = newOnce()
	if c.planned == nil {
		return message{}.bytes(1, dynamic(c.kind.Attributes, nil)).bytes(3, c.notes.write())
	}
	c.planned = copyOf(c.planned)
	replaced, problems := c.plan()
	if c.kind.Name == "vm" && len(replaced) == 0 {
		// Without an address there are no quotes yet; Terraform plans again before it applies.
		a, _ := p.api()
		problems = append(problems, planVM(ctx, a, c)...)
	}
	m := message{}.bytes(1, dynamic(c.kind.Attributes, c.planned))
	for _, name := range replaced {
		m = m.bytes(2, pathOf(name))
	}
	return m.bytes(3, c.notes.write()).diagnostics(4, problems...)
}

func (p *provider) changeOf(f fields, prior, planned, config, private int32) (c *change, err error) {
	c = &change{}
	if c.kind, err = p.resource(f); err != nil {
		return nil, err
	}
	if c.prior, err = f.value(number(prior)); err != nil {
		return nil, err
	}
	if c.planned, err = f.value(number(planned)); err != nil {
		return nil, err
	}
	if c.config, err = f.value(number(config)); err != nil {
		return nil, err
	}
	c.notes = readNotes(f[number(private)])
	return c, nil
}

// plan determines which values are known only after the apply, and which changes replace the resource.
func (c *change) plan() (replaced []string, problems []problem) {
	for _, one := range c.kind.Attributes {
		switch {
		case c.prior == nil:
			if one.Computed && c.config[one.Name] == nil {
				c.planned[one.Name] = unknown
			}
		case !c.differs(one) || one.Update || one.InPlace || !one.Create && !one.isInPath(c.kind):
		case one.Unread && c.notes.Imported && c.prior[one.Name] == nil:
			text := fmt.Errorf("%s of %v was taken from the configuration.\nThe resource was imported, and the service does not show this value.", one.Name, c.prior["id"])
			problems = append(problems, problem{err: text, attribute: one.Name, isWarning: true})
		default:
			replaced = append(replaced, one.Name)
		}
	}
	return replaced, problems
}

// differs reports whether an attribute will change. An attribute that is not configured stays as it is.
func (c *change) differs(one attribute) bool {
	if !one.isConfigurable() || one.Computed && c.config[one.Name] == nil {
		return false
	}
	return !equal(one, c.prior[one.Name], c.planned[one.Name])
}

// isInPath reports whether the attribute identifies the parent of the resource.
func (a attribute) isInPath(k *kind) bool {
	for _, found := range variable.FindAllStringSubmatch(k.Create.Path, -1) {
		if found[1] == a.Name {
			return true
		}
	}
	return false
}

func (p *provider) applyChange(call context.Context, f fields) message {
	c, err := p.changeOf(f, 2, 3, 4, 5)
	if err != nil {
		return failed(3, err)
	}
	a, err := p.api()
	if err != nil {
		return c.failed(err)
	}
	action, timeouts := "update", c.planned
	switch {
	case c.planned == nil:
		action, timeouts = "delete", c.prior
	case c.prior == nil:
		action = "create"
	}
	ctx, cancel := p.during(call, timeoutOf(timeouts, action))
	defer cancel()
	var state object
	switch action {
	case "delete":
		err = a.remove(ctx, c.kind, c.prior, c.notes.Once)
		if err != nil {
			state = c.prior
		}
	case "create":
		state, err = a.applyCreate(ctx, c)
	default:
		state, err = a.applyUpdate(ctx, c)
	}
	c.notes.Once = ""
	m := message{}.bytes(1, dynamic(c.kind.Attributes, state)).bytes(2, c.notes.write())
	if err != nil {
		m = m.diagnostics(3, problem{err: err, attribute: c.namedBy(err)})
	}
	return m
}

// failed returns the prior state unchanged.
func (c *change) failed(err error) message {
	return message{}.bytes(1, dynamic(c.kind.Attributes, c.prior)).bytes(2, c.notes.write()).diagnostics(3, problem{err: err})
}

// namedBy returns the attribute that the service rejected, if any.
func (c *change) namedBy(err error) string {
	var failure *apiError
	if errors.As(err, &failure) {
		if fields, _ := failure.Details["fields"].([]interface{}); len(fields) > 0 {
			if first, ok := fields[0].(object); ok {
				if name, _ := first["field"].(string); c.kind.attribute(name) != nil {
					return name
				}
			}
		}
	}
	return ""
}

// applyCreate returns a state whenever something was created, even after an error, so that Terraform knows about it.
func (a *api) applyCreate(ctx context.Context, c *change) (object, error) {
	planned := copyOf(c.planned)
	if isUnknown(planned["tenant_id"]) {
		planned["tenant_id"] = nil
	}
	if err := a.fillTenant(ctx, c.kind, planned); err != nil {
		return nil, err
	}
	var made object
	var err error
	if c.kind.Name == "vm" {
		made, err = a.createVM(ctx, c, planned)
	} else {
		made, err = a.create(ctx, c.kind, planned)
	}
	if made == nil {
		return nil, err
	}
	return c.echo(planned, made), err
}

// applyUpdate returns the service's state after the update, even if the service refused a part of it.
func (a *api) applyUpdate(ctx context.Context, c *change) (object, error) {
	if c.kind.Update == nil {
		// Only provider settings have changed, which are not sent to the service.
		return c.planned, nil
	}
	failure := a.updateVM(ctx, c)
	// Uses a fresh time limit, to read the result even after the update has timed out.
	afterwards, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	found, err := a.look(afterwards, c.kind, c.prior)
	switch {
	case err != nil && failure == nil:
		return c.prior, err
	case err != nil:
		return c.prior, failure
	case found == nil:
		return nil, failure
	case failure != nil:
		return refresh(c.kind, c.prior, found, &c.notes), failure
	}
	return c.echo(c.planned, found), nil
}

func (p *provider) importState(call context.Context, f fields) message {
	ctx, cancel := p.during(call, defaultTimeout)
	defer cancel()
	k, err := p.resource(f)
	if err != nil {
		return failed(2, err)
	}
	state, err := p.identify(ctx, k, f.text(2))
	if err != nil {
		return failed(2, err)
	}
	imported := message{}.text(1, f.text(1)).bytes(2, dynamic(k.Attributes, state)).bytes(3, notes{Imported: true}.write())
	return message{}.bytes(1, imported)
}
