// The Terraform provider of Vauban. It speaks plugin protocol 6, as Terraform and OpenTofu do. They start it, pass a
// certificate in the environment and read one line of its output; it is not meant to be started manually.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"fmt"
	"io/ioutil"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Terraform sets this variable for plugins. Without it the program was started by a person, who gets an explanation
// instead of a program that hangs.
const (
	cookieName  = "TF_PLUGIN_MAGIC_COOKIE"
	cookieValue = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
)

// The certificates last for one run of Terraform.
const certificateLife = 24 * time.Hour

func main() {
	log.SetFlags(0)
	if err := serve(); err != nil {
		log.Fatal(err)
	}
}

func serve() error {
	if os.Getenv(cookieName) != cookieValue {
		return errors.New("This is a provider for Terraform and OpenTofu, which start it themselves: see docs/terraform.md.")
	}
	if !strings.Contains(","+os.Getenv("PLUGIN_PROTOCOL_VERSIONS")+",", ",6,") {
		return errors.New("This provider speaks plugin protocol 6, which needs Terraform 1.0 or OpenTofu 1.6 or newer.")
	}
	// API keys and passwords pass through here: without the caller's certificate, nothing is served.
	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM([]byte(os.Getenv("PLUGIN_CLIENT_CERT"))) {
		return errors.New("This provider is only served over TLS: unset TF_DISABLE_PLUGIN_TLS.")
	}
	certificate, err := newCertificate()
	if err != nil {
		return err
	}
	directory, err := ioutil.TempDir("", "vauban-provider-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	listener, err := net.Listen("unix", filepath.Join(directory, "socket"))
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	server := &http.Server{
		Handler:  newService(newProvider(), func() { close(stop) }),
		ErrorLog: log.New(ioutil.Discard, "", 0),
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{certificate},
			ClientAuth:   tls.RequireAndVerifyClientCert,
			ClientCAs:    clients,
			MinVersion:   tls.VersionTLS12,
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(listener, "", "") }()
	fmt.Printf("1|6|unix|%s|grpc|%s\n", listener.Addr(), base64.RawStdEncoding.EncodeToString(certificate.Certificate[0]))
	select {
	case err := <-ended:
		return err
	case <-stop:
		// Let the reply to the stop call reach Terraform.
		time.Sleep(50 * time.Millisecond)
		return nil
	}
}

// newCertificate creates the certificate that Terraform reads from this program's output and pins.
func newCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "localhost", Organization: []string{"Vauban"}},
		DNSNames:              []string{"localhost"},
		NotBefore:             time.Now().Add(-time.Minute),
		NotAfter:              time.Now().Add(certificateLife),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment | x509.KeyUsageKeyAgreement | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
