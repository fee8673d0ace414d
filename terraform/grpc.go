package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/ioutil"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// A unary gRPC call is a POST over HTTP/2 whose status is in the trailers. Terraform makes no other calls that matter,
// and net/http provides all of this; the gRPC library would be the largest part of this program.

// The size limit of a message in bytes; Terraform's own.
const messageLimit = 64 << 20

// gRPC status codes.
const (
	statusInvalidArgument = 3
	statusUnimplemented   = 12
	statusInternal        = 13
)

// method handles a request and returns a response, both as protobuf.
type method func(ctx context.Context, request fields) message

type service struct {
	methods map[string]method
}

// newService returns the handlers of all calls that Terraform makes; `stop` ends the program.
func newService(p *provider, stop func()) *service {
	const prefix = "/tfplugin6.Provider/"
	return &service{map[string]method{
		prefix + "GetProviderSchema":          p.getSchema,
		prefix + "ValidateProviderConfig":     p.validateProvider,
		prefix + "ValidateResourceConfig":     p.validateResource,
		prefix + "ValidateDataResourceConfig": p.validateDataSource,
		prefix + "UpgradeResourceState":       p.upgradeState,
		prefix + "ConfigureProvider":          p.configure,
		prefix + "ReadResource":               p.readResource,
		prefix + "PlanResourceChange":         p.planChange,
		prefix + "ApplyResourceChange":        p.applyChange,
		prefix + "ImportResourceState":        p.importState,
		prefix + "ReadDataSource":             p.readDataSource,
		prefix + "StopProvider":               p.stop,
		"/grpc.health.v1.Health/Check": func(context.Context, fields) message {
			return message{}.number(1, 1) // SERVING
		},
		"/plugin.GRPCController/Shutdown": func(context.Context, fields) message {
			stop()
			return message{}
		},
	}}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
	if r.ProtoMajor != 2 || r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	answer := s.methods[r.URL.Path]
	if answer == nil {
		end(w, statusUnimplemented, "There is no method "+r.URL.Path)
		return
	}
	request, err := readMessage(r.Body)
	if err != nil {
		end(w, statusInvalidArgument, err.Error())
		return
	}
	response, err := safely(r.Context(), answer, request)
	if err != nil {
		end(w, statusInternal, err.Error())
		return
	}
	frame := make([]byte, 5, 5+len(response))
	binary.BigEndian.PutUint32(frame[1:], uint32(len(response)))
	if _, err := w.Write(append(frame, response...)); err != nil {
		return
	}
	end(w, 0, "")
}

// safely turns a panic into an error of the one call.
func safely(ctx context.Context, answer method, request fields) (response message, err error) {
	defer func() {
		if defect := recover(); defect != nil {
			err = fmt.Errorf("The provider has failed: %v", defect)
		}
	}()
	return answer(ctx, request), nil
}

func readMessage(body io.Reader) (fields, error) {
	bytes, err := ioutil.ReadAll(io.LimitReader(body, messageLimit))
	if err != nil {
		return nil, err
	}
	if len(bytes) < 5 || bytes[0] != 0 || int(binary.BigEndian.Uint32(bytes[1:5])) != len(bytes)-5 {
		return nil, fmt.Errorf("This is not a single uncompressed message.")
	}
	return parse(bytes[5:])
}

func end(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Grpc-Status", strconv.Itoa(status))
	if text != "" {
		w.Header().Set("Grpc-Message", url.PathEscape(text))
	}
}
