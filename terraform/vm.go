package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
)

// A VM has a plan or a custom size. The service sells new VMs by plan only, so a VM of a custom size is bought switched
// off with the cheapest plan that can grow to it, resized and then started: no guest ever sees the plan.

var sizes = []string{"vcpu", "ram_mb", "disk_gb"}

// Attributes that change with the size and are known only after the resize.
var ofSize = []string{"plan", "vcpu", "ram_mb", "disk_gb", "bandwidth_gb", "price_monthly_minor", "price_hourly"}

// The two parts of a change's price are rounded separately, so it may cost one minor unit more than the difference.
const rounding = 1

var (
	getCatalog     = call{"GET", "/v1/vm/catalog"}
	getCustomQuote = call{"GET", "/v1/vm/custom-quote"}
	getPlanQuote   = call{"GET", "/v1/vm/{id}/plan-quote"}
	changePlan     = call{"POST", "/v1/vm/{id}/change-plan"}
	changeCustom   = call{"POST", "/v1/vm/{id}/change-custom"}
	startVM        = call{"POST", "/v1/vm/{id}/start"}
	stopVM         = call{"POST", "/v1/vm/{id}/stop"}
)

// invalidVM requires either a plan or a complete size.
func invalidVM(config object) []problem {
	given := 0
	for _, name := range sizes {
		if config[name] != nil {
			given++
		}
	}
	hasPlan := config["plan"] != nil
	switch {
	case hasPlan && given > 0:
		return []problem{{err: errors.New("A VM has either a plan or a custom size.\nSet either plan, or vcpu, ram_mb and disk_gb."), attribute: "plan"}}
	case !hasPlan && given < len(sizes):
		return []problem{{err: errors.New("The size of the VM is missing.\nSet either plan, or vcpu, ram_mb and disk_gb."), attribute: "plan"}}
	}
	return nil
}

// planVM adds the highest possible charge and reports what the service would refuse.
func planVM(ctx context.Context, a *api, c *change) []problem {
	isCustom := c.config["plan"] == nil
	if isCustom {
		c.planned["plan"] = nil
	}
	if c.prior != nil && !c.resizes() {
		return nil
	}
	for _, name := range ofSize {
		if c.config[name] == nil && !(isCustom && name == "plan") {
			c.planned[name] = unknown
		}
	}
	if c.config["max_charge_minor"] != nil {
		if a != nil && c.prior != nil {
			return asProblems(a.refusals(ctx, c))
		}
		return nil
	}
	c.planned["max_charge_minor"] = unknown
	if a == nil || c.isOpen("plan", "vcpu", "ram_mb", "disk_gb", "region", "billing") {
		return nil
	}
	bound, err := a.boundOf(ctx, c)
	if err == nil && c.prior != nil {
		err = a.refusals(ctx, c)
	}
	if err != nil {
		return asProblems(err)
	}
	c.planned["max_charge_minor"] = bound
	return nil
}

func asProblems(err error) []problem {
	if err == nil {
		return nil
	}
	return []problem{{err: err}}
}

// isOpen reports whether one of these is configured with a value that is not yet known.
func (c *change) isOpen(names ...string) bool {
	for _, name := range names {
		if isUnknown(c.config[name]) {
			return true
		}
	}
	return false
}

// resizes reports whether the change affects the plan or the size.
func (c *change) resizes() bool {
	if c.config["plan"] != nil {
		return c.config["plan"] != c.prior["plan"]
	}
	for _, name := range sizes {
		if c.config[name] != c.prior[name] {
			return true
		}
	}
	return c.prior["plan"] != nil
}

// boundOf returns the highest possible charge: the first period of a new VM, or the increase in the monthly price.
func (a *api) boundOf(ctx context.Context, c *change) (int64, error) {
	monthly, err := a.monthly(ctx, c.config, c.prior)
	if err != nil {
		return 0, err
	}
	if c.prior == nil && c.config["plan"] != nil {
		return monthly, nil
	}
	if c.prior == nil {
		return monthly + rounding, nil
	}
	before, _ := c.prior["price_monthly_minor"].(int64)
	if monthly < before {
		return rounding, nil
	}
	return monthly - before + rounding, nil
}

// monthly returns the monthly price of the configuration.
func (a *api) monthly(ctx context.Context, config, prior object) (int64, error) {
	if code, ok := config["plan"].(string); ok {
		catalog, err := a.doObject(ctx, request{call: getCatalog})
		if err != nil {
			return 0, err
		}
		for _, plan := range objects(catalog["plans"]) {
			if plan["code"] == code {
				return integer(plan["price_monthly_minor"]), nil
			}
		}
		return 0, fmt.Errorf("There is no plan %q.", code)
	}
	query := url.Values{}
	for _, name := range append([]string{"region", "billing"}, sizes...) {
		value := config[name]
		if value == nil && prior != nil {
			value = prior[name]
		}
		if value != nil {
			query.Set(name, fmt.Sprint(value))
		}
	}
	quote, err := a.doObject(ctx, request{call: getCustomQuote, query: query})
	return integer(quote["total_minor"]), err
}

// Refusals that pass before the apply or that the apply resolves.
var passing = []string{"vm_locked", "insufficient_funds", "vm_must_be_stopped"}

// refusals asks the service whether it would refuse the change.
func (a *api) refusals(ctx context.Context, c *change) error {
	query := url.Values{}
	for _, name := range append([]string{"plan"}, sizes...) {
		if value := c.config[name]; value != nil && !isUnknown(value) {
			query.Set(name, fmt.Sprint(value))
		}
	}
	if c.config["resize_disk"] == false && c.config["plan"] != nil {
		query.Set("resize_disk", "false")
	}
	if len(query) == 0 {
		return nil
	}
	quote, err := a.doObject(ctx, request{call: getPlanQuote, at: c.prior, query: query})
	for _, blocker := range objects(quote["blockers"]) {
		if code, _ := blocker["code"].(string); !contains(passing, code) {
			return fmt.Errorf("%v\n(%s)", blocker["message"], code)
		}
	}
	return err
}

// createVM buys a VM, in two steps for a custom size, and waits for it.
func (a *api) createVM(ctx context.Context, c *change, planned object) (object, error) {
	bound, ok := planned["max_charge_minor"].(int64)
	if !ok {
		var err error
		if bound, err = a.boundOf(ctx, &change{kind: c.kind, planned: planned, config: c.config}); err != nil {
			return nil, err
		}
		planned["max_charge_minor"] = bound
	}
	isOn := planned["wanted_power"] != "off"
	isCustom := planned["plan"] == nil
	body := bodyOf(c.kind.Attributes, planned, func(one attribute) bool { return one.Create && planned[one.Name] != nil })
	body["start"] = isOn && !isCustom
	body["max_charge_minor"] = bound
	if isCustom {
		plan, err := a.basePlan(ctx, planned, bound)
		if err != nil {
			return nil, err
		}
		body["plan"] = plan
	}
	bought, err := a.doObject(ctx, request{call: *c.kind.Create, body: body, once: c.notes.Once})
	if err != nil {
		return nil, err
	}
	vm, _ := bought["vm"].(object)
	vm["initial_password"] = bought["initial_password"]
	made, err := a.finish(ctx, bought)
	if err == nil && isCustom {
		if made, err = a.grow(ctx, c, vm, bought, bound, isOn); err != nil {
			return a.undo(c, vm, err)
		}
	}
	if made == nil {
		return vm, err
	}
	made["initial_password"] = bought["initial_password"]
	return made, err
}

// grow resizes a VM to its custom size within the remaining charge limit, and starts it.
func (a *api) grow(ctx context.Context, c *change, vm, bought object, bound int64, isOn bool) (object, error) {
	order, _ := bought["order"].(object)
	left := bound - integer(order["amount_minor"])
	if left < 0 {
		left = 0
	}
	body := object{"max_charge_minor": left}
	for _, name := range sizes {
		body[name] = c.planned[name]
	}
	id, _ := vm["id"].(string)
	changed, err := a.unlocked(ctx, id, request{call: changeCustom, at: vm, body: body, once: c.notes.Once + "-size"})
	// The plan may already have exactly this size.
	if err != nil && !hasCode(err, "same_plan") {
		return nil, err
	}
	if _, err := a.finish(ctx, changed); err != nil {
		return nil, err
	}
	if isOn {
		if err := a.switchPower(ctx, vm, true); err != nil {
			return nil, err
		}
	}
	return a.untilIdle(ctx, id)
}

// undo deletes a VM that could not be resized: the user did not ask for one of the plan's size.
func (a *api) undo(c *change, vm object, failure error) (object, error) {
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	if err := a.remove(ctx, c.kind, vm, c.notes.Once+"-undo"); err != nil {
		return vm, fmt.Errorf("%v\nThe VM %v remains because it could not be deleted: %v", failure, vm["id"], err)
	}
	return nil, failure
}

// basePlan returns the cheapest plan that can grow to the size.
func (a *api) basePlan(ctx context.Context, planned object, bound int64) (string, error) {
	catalog, err := a.doObject(ctx, request{call: getCatalog})
	if err != nil {
		return "", err
	}
	minimum := object{}
	for _, template := range objects(catalog["templates"]) {
		if template["code"] == planned["template"] {
			minimum = template
		}
	}
	disk, _ := planned["disk_gb"].(int64)
	code, price := "", int64(0)
	for _, plan := range objects(catalog["plans"]) {
		cost := integer(plan["price_monthly_minor"])
		fits := plan["deprecated"] != true && integer(plan["disk_gb"]) <= disk && cost <= bound &&
			integer(plan["disk_gb"]) >= integer(minimum["min_disk_gb"]) && integer(plan["ram_mb"]) >= integer(minimum["min_ram_mb"])
		if fits && isSold(plan, planned) && (code == "" || cost < price) {
			code, price = plan["code"].(string), cost
		}
	}
	if code == "" {
		return "", errors.New("No plan can be changed to this size.\nA custom size is created from a plan whose disk is not larger and whose price does not exceed max_charge_minor.")
	}
	return code, nil
}
