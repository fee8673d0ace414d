package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

func invalidSearch(k *kind, config object) []problem {
	for _, name := range k.FindBy {
		if config[name] != nil {
			return nil
		}
	}
	return []problem{{err: fmt.Errorf("The configuration does not identify one.\nSet one of: %s.", strings.Join(k.FindBy, ", "))}}
}

func (p *provider) readDataSource(call context.Context, f fields) message {
	ctx, cancel := p.during(call, defaultTimeout)
	defer cancel()
	k := byName(p.tables.DataSources, f.text(1))
	if k == nil {
		return failed(2, fmt.Errorf("There is no data source %s.", f.text(1)))
	}
	config, err := f.value(2)
	if err != nil {
		return failed(2, err)
	}
	a, err := p.api()
	if err != nil {
		return failed(2, err)
	}
	found, err := a.readData(ctx, k, config)
	if err != nil {
		return failed(2, err)
	}
	state := object{}
	for _, one := range k.Attributes {
		state[one.Name] = fromJSON(one, found[one.answered()])
		// Configured values stay as they are written.
		if config[one.Name] != nil {
			state[one.Name] = config[one.Name]
		}
	}
	return message{}.bytes(1, dynamic(k.Attributes, state))
}

func (a *api) readData(ctx context.Context, k *kind, config object) (object, error) {
	if len(k.FindBy) > 0 {
		return a.find(ctx, k, config)
	}
	query := url.Values{}
	for _, name := range k.Query {
		if value := config[name]; value != nil {
			query.Set(name, fmt.Sprint(value))
		}
	}
	found, err := a.doObject(ctx, request{call: *k.Read, query: query})
	if err != nil || k.Items == "" {
		return found, err
	}
	return object{k.Items: found[k.Items]}, nil
}

// find returns the only item of a list that matches the configuration.
func (a *api) find(ctx context.Context, k *kind, config object) (object, error) {
	at := copyOf(config)
	if err := a.fillTenant(ctx, k, at); err != nil {
		return nil, err
	}
	items, err := a.list(ctx, request{call: *k.Read, at: at})
	if err != nil {
		return nil, err
	}
	var found []object
	for _, item := range items {
		if matches(k, config, item) {
			found = append(found, item)
		}
	}
	switch len(found) {
	case 0:
		return nil, errors.New("None was found.")
	case 1:
		// The variables of its path are part of the result.
		for name, value := range at {
			if found[0][name] == nil {
				found[0][name] = value
			}
		}
		return found[0], nil
	}
	return nil, fmt.Errorf("%d were found: set the id.", len(found))
}

func matches(k *kind, config, item object) bool {
	for _, name := range k.FindBy {
		if config[name] != nil && config[name] != item[name] {
			return false
		}
	}
	return true
}

// fillTenant adds the shield tenant if the account has exactly one.
func (a *api) fillTenant(ctx context.Context, k *kind, at object) error {
	if k.attribute("tenant_id") == nil {
		return nil
	}
	if id, ok := at["tenant_id"].(string); ok && id != "" {
		return nil
	}
	summary, err := a.doObject(ctx, request{call: call{"GET", "/v1/billing/summary"}})
	if err != nil {
		return err
	}
	ids, _ := summary["shield_tenant_ids"].([]interface{})
	if len(ids) != 1 {
		return fmt.Errorf("The account has %d tenants of the DDoS Shield: set tenant_id.", len(ids))
	}
	at["tenant_id"] = ids[0]
	return nil
}
