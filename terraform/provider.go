package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// provider handles Terraform's calls, several at a time.
type provider struct {
	tables tables
	// Canceled when Terraform is interrupted.
	life    context.Context
	endLife context.CancelFunc
	mutex   sync.Mutex
	client  *api
}

var providerAttributes = []attribute{
	{Name: "url", Type: "string", Optional: true, Description: "Address of the service, such as https://cloud.example; defaults to `VAUBAN_URL`"},
	{Name: "api_key", Type: "string", Optional: true, Sensitive: true, Description: "API key of the account; defaults to `VAUBAN_API_KEY`"},
}

func newProvider() *provider {
	life, endLife := context.WithCancel(context.Background())
	return &provider{tables: readTables(), life: life, endLife: endLife}
}

// during returns a context that ends with the call, when Terraform is interrupted, or after the limit: a service that
// keeps asking to wait must not block Terraform forever.
func (p *provider) during(call context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(call, limit)
	go func() {
		select {
		case <-p.life.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

var errNotConfigured = errors.New("The provider has no address or key yet: they depend on values that are known only after the apply.")

func (p *provider) api() (*api, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.client == nil {
		return nil, errNotConfigured
	}
	return p.client, nil
}

// problem is an error or a warning, about an attribute or the whole resource.
type problem struct {
	err       error
	attribute string
	isWarning bool
}

// diagnostics appends problems to a response.
func (m message) diagnostics(number protowire.Number, problems ...problem) message {
	for _, one := range problems {
		severity := uint64(1)
		if one.isWarning {
			severity = 2
		}
		lines := strings.SplitN(one.err.Error(), "\n", 2)
		diagnostic := message{}.number(1, severity).text(2, lines[0])
		if len(lines) > 1 {
			diagnostic = diagnostic.text(3, lines[1])
		}
		if one.attribute != "" {
			diagnostic = diagnostic.bytes(4, pathOf(one.attribute))
		}
		m = m.bytes(number, diagnostic)
	}
	return m
}

func pathOf(attribute string) message {
	return message{}.bytes(1, message{}.text(1, attribute))
}

func failed(number protowire.Number, err error) message {
	return message{}.diagnostics(number, problem{err: err})
}

func (p *provider) getSchema(context.Context, fields) message {
	m := message{}.bytes(1, schemaOf("Manages VMs and their resources on a Vauban cloud.", providerAttributes))
	for _, one := range p.tables.Resources {
		m = m.entry(2, typePrefix+one.Name, schemaOf(one.Description, one.Attributes))
	}
	for _, one := range p.tables.DataSources {
		m = m.entry(3, typePrefix+one.Name, schemaOf(one.Description, one.Attributes))
	}
	// Terraform must plan destructions too, so that their Idempotency-Key comes from the plan.
	return m.bytes(6, message{}.flag(1, true))
}

func (p *provider) validateProvider(_ context.Context, f fields) message {
	config, err := f.value(1)
	if err != nil {
		return failed(2, err)
	}
	if address, ok := config["url"].(string); ok {
		if _, err := newAPI(address, ""); err != nil {
			return message{}.diagnostics(2, problem{err: err, attribute: "url"})
		}
	}
	return message{}
}

func (p *provider) configure(_ context.Context, f fields) message {
	config, err := f.value(2)
	if err != nil {
		return failed(1, err)
	}
	if isUnknown(config["url"]) || isUnknown(config["api_key"]) {
		return message{}
	}
	given := func(name, variable string) (string, error) {
		if value, ok := config[name].(string); ok && value != "" {
			return value, nil
		}
		if value := os.Getenv(variable); value != "" {
			return value, nil
		}
		return "", fmt.Errorf("The provider has no %s.\nSet `%s` or the variable %s.", name, name, variable)
	}
	address, err := given("url", "VAUBAN_URL")
	if err != nil {
		return message{}.diagnostics(1, problem{err: err, attribute: "url"})
	}
	key, err := given("api_key", "VAUBAN_API_KEY")
	if err != nil {
		return message{}.diagnostics(1, problem{err: err, attribute: "api_key"})
	}
	client, err := newAPI(address, key)
	if err != nil {
		return message{}.diagnostics(1, problem{err: err, attribute: "url"})
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.client = client
	return message{}
}

func (p *provider) stop(context.Context, fields) message {
	p.endLife()
	return message{}
}

// resource returns the kind of resource that a call is about.
func (p *provider) resource(f fields) (*kind, error) {
	if found := byName(p.tables.Resources, f.text(1)); found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("There is no resource %s.", f.text(1))
}

func (p *provider) validateResource(_ context.Context, f fields) message {
	return validate(p.tables.Resources, f, 1)
}

func (p *provider) validateDataSource(_ context.Context, f fields) message {
	return validate(p.tables.DataSources, f, 1)
}

func validate(kinds []kind, f fields, number protowire.Number) message {
	k := byName(kinds, f.text(1))
	if k == nil {
		return failed(number, fmt.Errorf("There is no %s.", f.text(1)))
	}
	config, err := f.value(2)
	if err != nil {
		return failed(number, err)
	}
	problems := invalid(k.Attributes, config)
	if k.Name == "vm" && k.Create != nil {
		problems = append(problems, invalidVM(config)...)
	}
	if len(k.FindBy) > 0 {
		problems = append(problems, invalidSearch(k, config)...)
	}
	return message{}.diagnostics(number, problems...)
}

// invalid checks the known values against the service's schema.
func invalid(attributes []attribute, config object) []problem {
	problems := []problem{}
	for _, one := range attributes {
		switch value := config[one.Name].(type) {
		case int64:
			if (one.Minimum != nil && value < *one.Minimum) || (one.Maximum != nil && value > *one.Maximum) {
				problems = append(problems, problem{err: fmt.Errorf("%s is %d, which is out of range.", one.Name, value), attribute: one.Name})
			}
		case string:
			if len(one.Values) > 0 && !one.TextOrNumber && !contains(one.Values, value) {
				problems = append(problems, problem{err: fmt.Errorf("%s is %q.\nPossible values: %s.", one.Name, value, strings.Join(one.Values, ", ")), attribute: one.Name})
			}
		case object:
			for _, inner := range invalid(one.Attributes, value) {
				problems = append(problems, problem{err: inner.err, attribute: one.Name})
			}
		}
	}
	if timeouts, ok := config["timeouts"].(object); ok {
		if err := invalidTimeouts(timeouts); err != nil {
			problems = append(problems, problem{err: err, attribute: "timeouts"})
		}
	}
	return problems
}

func contains(values []string, value string) bool {
	for _, one := range values {
		if one == value {
			return true
		}
	}
	return false
}

// upgradeState reads a stored state; there is only one version.
func (p *provider) upgradeState(_ context.Context, f fields) message {
	k, err := p.resource(f)
	if err != nil {
		return failed(2, err)
	}
	raw, err := parse(f[3])
	if err != nil {
		return failed(2, err)
	}
	var stored object
	if err := parseJSON(raw[1], &stored); err != nil {
		return failed(2, err)
	}
	return message{}.bytes(1, dynamic(k.Attributes, objectFromJSON(k.Attributes, stored)))
}
