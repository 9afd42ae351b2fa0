// The Go peer, which uses net/http, encoding/json and bufio.Scanner of the standard library.
//
//	go-client MODE URL [--seconds S] [--concurrency N] [--trust FILE] [--size BYTES] [--compressed yes]
//	          [--plan FILE] [--pause MS] [--rate R]
//
// MODE: get64 get1 post64 json64 plan64 api64 paced download lines linebytes. Prints one line of JSON.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: go-client MODE URL [--seconds S] [--concurrency N] [--trust FILE] …")
	}
	mode, url := os.Args[1], os.Args[2]
	flags := flag.NewFlagSet("go-client", flag.ExitOnError)
	seconds := flags.Float64("seconds", 2, "the length of the measurement in seconds")
	concurrency := flags.Int("concurrency", 64, "the number of concurrent requests")
	trust := flags.String("trust", "", "a file of certificate authorities (default: the system's)")
	size := flags.Int("size", 4096, "the length of a body that is sent")
	compressed := flags.String("compressed", "no", "yes: accept compressed responses")
	planFile := flags.String("plan", "", "a file with a method and a URL in each line")
	pause := flags.Int("pause", 0, "a pause in milliseconds after every tenth request")
	rate := flags.Float64("rate", 0, "the requests that are started in a second")
	flags.Parse(os.Args[3:])

	if mode == "get1" {
		*concurrency = 1
	}
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: *concurrency,
		MaxConnsPerHost:     *concurrency,
		DisableCompression:  *compressed != "yes",
		TLSClientConfig:     &tls.Config{RootCAs: authorities(*trust)},
		// A custom TLS configuration turns off HTTP/2 by default.
		ForceAttemptHTTP2: true,
	}}
	repetition := repetition{seconds: *seconds, concurrency: *concurrency}
	result := newResult()
	switch mode {
	case "get64", "get1":
		repetition.run(result, func(worker, step int) int64 { return int64(len(body(get(client, url)))) })
	case "post64":
		sent := bytes.Repeat([]byte("x"), *size)
		repetition.run(result, func(worker, step int) int64 {
			return int64(len(body(post(client, url, "application/octet-stream", sent))))
		})
	case "json64":
		repetition.run(result, func(worker, step int) int64 { return decodeList(body(get(client, url))) })
	case "plan64", "api64":
		runPlan(client, readPlan(*planFile), mode == "api64", time.Duration(*pause)*time.Millisecond, repetition, result)
	case "paced":
		repetition.seconds = 0.3
		repetition.run(result, func(worker, step int) int64 { return int64(len(body(get(client, url)))) })
		runPaced(client, url, *rate, *seconds, result)
	case "download":
		response := get(client, url)
		result.requests = 1
		result.bytes, _ = io.Copy(io.Discard, response.Body)
	case "lines", "linebytes":
		readLines(get(client, url).Body, mode == "lines", result)
	default:
		log.Fatal("unknown mode")
	}
	result.print()
}

// The totals of a run.
type result struct {
	started         time.Time
	requests, bytes int64
	// More fields of the line of JSON; each begins with a comma.
	more string
}

func newResult() *result { return &result{started: time.Now()} }

func (result *result) print() {
	fmt.Printf("{\"requests\":%d,\"seconds\":%.6f,\"bytes\":%d,\"peak_kib\":%d%s}\n",
		result.requests, time.Since(result.started).Seconds(), result.bytes, peakKib(), result.more)
}

// Returns the maximum resident size so far.
func peakKib() (kib int64) {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmHWM:") {
			fmt.Sscanf(line, "VmHWM: %d", &kib)
		}
	}
	return kib
}

// Returns the authorities in a file. Without a file, returns nil, which means the system's authorities.
func authorities(file string) *x509.CertPool {
	if file == "" {
		return nil
	}
	certificates, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificates)
	return pool
}

// A package variable, so that the compiler cannot remove the string of each line.
var kept string

func readLines(input io.Reader, makesStrings bool, result *result) {
	scanner := bufio.NewScanner(input)
	for scanner.Scan() {
		if makesStrings {
			kept = scanner.Text()
			result.bytes += int64(len(kept)) + 1
		} else {
			result.bytes += int64(len(scanner.Bytes())) + 1
		}
		result.requests++
	}
	if err := scanner.Err(); err != nil {
		log.Fatal(err)
	}
}
