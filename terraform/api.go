package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/ioutil"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// The longest wait that the service accepts when asked for a VM without a job.
	waitSeconds = 30
	// The time limit of a request that the service answers at once.
	requestTimeout = 30 * time.Second
	// Attempts at a repeatable request that gets no complete reply.
	attempts = 4
	// The size limit of a reply in bytes; a page of a list is far smaller.
	answerLimit = 8 << 20
	pageSize    = "100"
	lockPause   = 200 * time.Millisecond
	// The pause between two checks whether the engine has released something.
	releasePause = 100 * time.Millisecond
)

// api talks to the service with a customer's key.
type api struct {
	base *url.URL
	key  string
	http *http.Client
}

func newAPI(address, key string) (*api, error) {
	base, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || (base.Scheme != "https" && base.Scheme != "http") || base.Host == "" {
		return nil, fmt.Errorf("%q is not an address such as https://cloud.example.", address)
	}
	return &api{base, key, &http.Client{Timeout: requestTimeout + waitSeconds*time.Second}}, nil
}

// apiError is an error reply of the service.
type apiError struct {
	Status    int
	Code      string                 `json:"code"`
	Message   string                 `json:"message"`
	Details   map[string]interface{} `json:"details"`
	RequestID string                 `json:"request_id"`
}

func (e *apiError) Error() string {
	text := e.Message
	if fields, ok := e.Details["fields"].([]interface{}); ok {
		for _, one := range fields {
			if problem, ok := one.(object); ok {
				text += fmt.Sprintf("\n%v: %v", problem["field"], problem["message"])
			}
		}
	}
	return fmt.Sprintf("%s\n(%s, request %s)", text, e.Code, e.RequestID)
}

func hasCode(err error, codes ...string) bool {
	var failure *apiError
	if errors.As(err, &failure) {
		for _, code := range codes {
			if failure.Code == code {
				return true
			}
		}
	}
	return false
}

func isGone(err error) bool { return hasCode(err, "not_found") }

// request is one call of the service, including its retries.
type request struct {
	call  call
	at    object
	query url.Values
	body  object
	// The Idempotency-Key of a paid operation, so that it is done and charged once.
	once string
}

type answer struct {
	Data       interface{} `json:"data"`
	Pagination struct {
		NextCursor *string `json:"next_cursor"`
	} `json:"pagination"`
}

// do returns the `data` of the reply.
func (a *api) do(ctx context.Context, r request) (interface{}, error) {
	found, err := a.ask(ctx, r)
	return found.Data, err
}

// doObject is do for replies that are an object.
func (a *api) doObject(ctx context.Context, r request) (object, error) {
	data, err := a.do(ctx, r)
	if err != nil {
		return nil, err
	}
	found, ok := data.(object)
	if !ok {
		return nil, fmt.Errorf("The response to %s %s has no object.", r.call.Method, r.call.Path)
	}
	return found, nil
}

// ask sends a request and retries it if that is safe: reads and paid operations that got no complete reply, and
// anything after Retry-After.
func (a *api) ask(ctx context.Context, r request) (answer, error) {
	mayRepeat := r.call.Method == http.MethodGet || r.once != ""
	for failures := 0; ; {
		found, retryAfter, err := a.send(ctx, r)
		if err == nil {
			return found, nil
		}
		if ctx.Err() != nil {
			return answer{}, timedOut(ctx, r)
		}
		if retryAfter == 0 {
			var failure *apiError
			isWhole := errors.As(err, &failure) && failure.Status < 500 && failure.Code != "idempotency_in_progress"
			failures++
			if isWhole || !mayRepeat || failures >= attempts {
				return answer{}, err
			}
			retryAfter = time.Duration(1<<uint(failures-1)) * 500 * time.Millisecond
		}
		if !pause(ctx, retryAfter) {
			return answer{}, timedOut(ctx, r)
		}
	}
}

func timedOut(ctx context.Context, r request) error {
	if ctx.Err() == context.DeadlineExceeded {
		return fmt.Errorf("The time limit set by `timeouts` was reached: %s %s.", r.call.Method, r.call.Path)
	}
	return fmt.Errorf("Interrupted: %s %s.", r.call.Method, r.call.Path)
}

func pause(ctx context.Context, length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (a *api) send(ctx context.Context, r request) (answer, time.Duration, error) {
	outgoing, err := a.outgoing(ctx, r)
	if err != nil {
		return answer{}, 0, err
	}
	response, err := a.http.Do(outgoing)
	if err != nil {
		return answer{}, 0, err
	}
	defer response.Body.Close()
	text, err := ioutil.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return answer{}, 0, err
	}
	if response.StatusCode == http.StatusOK {
		var found answer
		return found, 0, parseJSON(text, &found)
	}
	var refused struct{ Error apiError }
	if parseJSON(text, &refused) != nil || refused.Error.Code == "" {
		return answer{}, 0, fmt.Errorf("%s answered with status %d, but not with a response of the API.", a.base.Host, response.StatusCode)
	}
	refused.Error.Status = response.StatusCode
	refused.Error.RequestID = response.Header.Get("X-Request-Id")
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	if response.StatusCode != http.StatusTooManyRequests {
		seconds = 0
	}
	return answer{}, time.Duration(seconds) * time.Second, &refused.Error
}

func (a *api) outgoing(ctx context.Context, r request) (*http.Request, error) {
	path, err := fill(r.call.Path, r.at)
	if err != nil {
		return nil, err
	}
	address := a.base.String() + path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	outgoing, err := http.NewRequestWithContext(ctx, r.call.Method, address, body)
	if err != nil {
		return nil, err
	}
	outgoing.Header.Set("Authorization", "Bearer "+a.key)
	outgoing.Header.Set("User-Agent", "terraform-provider-vauban/"+version)
	if r.body != nil {
		outgoing.Header.Set("Content-Type", "application/json")
	}
	if r.once != "" {
		outgoing.Header.Set("Idempotency-Key", r.once)
	}
	return outgoing, nil
}

var variable = regexp.MustCompile(`\{(\w+)\}`)

// fill replaces the variables of a path with a thing's attributes.
func fill(path string, at object) (string, error) {
	var missing error
	filled := variable.ReplaceAllStringFunc(path, func(found string) string {
		value, ok := at[strings.Trim(found, "{}")].(string)
		if !ok || value == "" {
			missing = fmt.Errorf("%s is not known.", strings.Trim(found, "{}"))
		}
		return url.PathEscape(value)
	})
	return filled, missing
}

// list returns the items of all pages.
func (a *api) list(ctx context.Context, r request) ([]object, error) {
	query := url.Values{"limit": {pageSize}}
	for name, values := range r.query {
		query[name] = values
	}
	r.query = query
	items := []object{}
	for {
		page, err := a.ask(ctx, r)
		if err != nil {
			return nil, err
		}
		some, _ := page.Data.([]interface{})
		for _, one := range some {
			if item, ok := one.(object); ok {
				items = append(items, item)
			}
		}
		if page.Pagination.NextCursor == nil {
			return items, nil
		}
		r.query.Set("cursor", *page.Pagination.NextCursor)
	}
}

var getVM = call{http.MethodGet, "/v1/vm/{id}"}

// untilIdle waits until a VM has no job or the context ends.
func (a *api) untilIdle(ctx context.Context, id string) (object, error) {
	query := url.Values{"wait_seconds": {strconv.Itoa(waitSeconds)}}
	for {
		vm, err := a.doObject(ctx, request{call: getVM, at: object{"id": id}, query: query})
		if err != nil || vm["active_job"] == nil {
			return vm, err
		}
	}
}

// unlocked repeats a call while another job holds the VM, until the context ends.
func (a *api) unlocked(ctx context.Context, vmID string, r request) (object, error) {
	for {
		found, err := a.doObject(ctx, r)
		if !hasCode(err, "vm_locked") {
			return found, err
		}
		if _, err := a.untilIdle(ctx, vmID); err != nil {
			return nil, err
		}
		// Another program may keep getting in first. Pause, so as not to use up the rate limit.
		if !pause(ctx, lockPause) {
			return nil, timedOut(ctx, r)
		}
	}
}

// finish waits for a reply's job and returns its VM, or nil if the job deleted it.
func (a *api) finish(ctx context.Context, started object) (object, error) {
	job, _ := started["job"].(object)
	if job == nil {
		return nil, nil
	}
	vmID, _ := job["vm_id"].(string)
	vm, err := a.untilIdle(ctx, vmID)
	if isGone(err) && job["kind"] == "delete" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if last, _ := vm["last_job"].(object); last != nil && last["id"] == job["id"] {
		return vm, jobFailure(last)
	}
	// Another job has followed it since.
	every := url.Values{"status": {"all"}}
	jobs, err := a.list(ctx, request{call: call{http.MethodGet, "/v1/vm/{id}/jobs"}, at: object{"id": vmID}, query: every})
	for _, one := range jobs {
		if one["id"] == job["id"] {
			return vm, jobFailure(one)
		}
	}
	return vm, err
}

// jobFailure returns nil for a job that succeeded.
func jobFailure(job object) error {
	if job["status"] == "succeeded" {
		return nil
	}
	text := "It ended with the status " + fmt.Sprint(job["status"])
	if reason, ok := job["error"].(object); ok {
		text = fmt.Sprintf("%v (%v)", reason["message"], reason["code"])
	}
	return fmt.Errorf("The job %v of %v has failed. %s", job["kind"], job["vm_id"], text)
}
