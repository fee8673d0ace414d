package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

func number(of int32) protowire.Number { return protowire.Number(of) }

// objects returns the objects of a list in a reply.
func objects(value interface{}) []object {
	items, _ := value.([]interface{})
	found := []object{}
	for _, item := range items {
		if one, ok := item.(object); ok {
			found = append(found, one)
		}
	}
	return found
}

// integer returns a number of a reply, 0 if it is missing.
func integer(value interface{}) int64 {
	if number, ok := value.(json.Number); ok {
		whole, err := number.Int64()
		must(err)
		return whole
	}
	return 0
}

// isSold reports whether a plan is sold in the VM's region and for its billing mode.
func isSold(plan, planned object) bool {
	if billing, ok := planned["billing"].(string); ok {
		modes, _ := plan["billing_modes"].([]interface{})
		found := false
		for _, mode := range modes {
			found = found || mode == billing
		}
		if !found {
			return false
		}
	}
	region, isGiven := planned["region"].(string)
	for _, one := range objects(plan["regions"]) {
		if one["available"] == true && (!isGiven || one["code"] == region) {
			return true
		}
	}
	return false
}

// updateVM applies the plan to a VM: first the changes that are free of charge, then its size, then its power state.
func (a *api) updateVM(ctx context.Context, c *change) error {
	changed := bodyOf(c.kind.Attributes, c.planned, func(one attribute) bool { return one.Update && c.differs(one) })
	if len(changed) > 0 {
		if _, err := a.do(ctx, request{call: *c.kind.Update, at: c.prior, body: changed}); err != nil {
			return err
		}
	}
	if c.resizes() {
		if err := a.resize(ctx, c); err != nil {
			return err
		}
	}
	if power := c.config["wanted_power"]; power != nil && power != c.prior["wanted_power"] {
		return a.switchPower(ctx, c.prior, power == "on")
	}
	return nil
}

func (a *api) resize(ctx context.Context, c *change) error {
	bound, isKnown := c.planned["max_charge_minor"].(int64)
	if !isKnown {
		var err error
		if bound, err = a.boundOf(ctx, c); err != nil {
			return err
		}
		c.planned["max_charge_minor"] = bound
	}
	body := object{"max_charge_minor": bound, "allow_reboot": c.config["allow_reboot"] == true}
	operation := changeCustom
	if plan := c.config["plan"]; plan != nil {
		operation = changePlan
		body["plan"] = plan
		if c.config["resize_disk"] != nil {
			body["resize_disk"] = c.config["resize_disk"]
		}
	} else {
		for _, name := range sizes {
			body[name] = c.config[name]
		}
	}
	id, _ := c.prior["id"].(string)
	started, err := a.unlocked(ctx, id, request{call: operation, at: c.prior, body: body, once: c.notes.Once})
	if err != nil {
		return err
	}
	_, err = a.finish(ctx, started)
	return err
}

func (a *api) switchPower(ctx context.Context, vm object, isOn bool) error {
	operation := stopVM
	if isOn {
		operation = startVM
	}
	id, _ := vm["id"].(string)
	started, err := a.unlocked(ctx, id, request{call: operation, at: vm})
	if err != nil {
		return err
	}
	_, err = a.finish(ctx, started)
	return err
}

// identify parses the id of an import: the ids of the path; the shield tenant may be left out.
func (p *provider) identify(ctx context.Context, k *kind, id string) (object, error) {
	names := []string{}
	for _, found := range variable.FindAllStringSubmatch(k.Delete.Path, -1) {
		names = append(names, found[1])
	}
	state := object{}
	parts := strings.Split(id, "/")
	if len(parts) == len(names)-1 && names[0] == "tenant_id" {
		a, err := p.api()
		if err != nil {
			return nil, err
		}
		if err := a.fillTenant(ctx, k, state); err != nil {
			return nil, err
		}
		names = names[1:]
	}
	if len(parts) != len(names) {
		return nil, fmt.Errorf("%q is not the id of a %s.\nThe format is: %s.", id, typePrefix+k.Name, strings.Join(names, "/"))
	}
	for i, name := range names {
		state[name] = parts[i]
	}
	return state, nil
}
