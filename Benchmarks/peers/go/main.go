// The Go peer, which uses net/http and bufio.Scanner of the standard library.
//
//	go-client MODE URL [--seconds S] [--concurrency N] [--trust FILE]
//
// MODE: get64 get1 post64 download lines linebytes. Prints one line of JSON.
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
	"sync"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: go-client MODE URL [--seconds S] [--concurrency N] [--trust FILE]")
	}
	mode, url := os.Args[1], os.Args[2]
	flags := flag.NewFlagSet("go-client", flag.ExitOnError)
	seconds := flags.Float64("seconds", 2, "the length of the measurement in seconds")
	concurrency := flags.Int("concurrency", 64, "the number of concurrent requests")
	trust := flags.String("trust", "", "a file of certificate authorities (default: the system's)")
	flags.Parse(os.Args[3:])

	if mode == "get1" {
		*concurrency = 1
	}
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: *concurrency,
		MaxConnsPerHost:     *concurrency,
		DisableCompression:  true,
		TLSClientConfig:     &tls.Config{RootCAs: authorities(*trust)},
		// A custom TLS configuration turns off HTTP/2 by default.
		ForceAttemptHTTP2: true,
	}}
	started := time.Now()
	var requests, total int64
	switch mode {
	case "get64", "get1", "post64":
		requests, total = repeat(client, url, mode == "post64", *seconds, *concurrency)
	case "download":
		response := get(client, url)
		requests = 1
		total, _ = io.Copy(io.Discard, response.Body)
	case "lines", "linebytes":
		scanner := bufio.NewScanner(get(client, url).Body)
		for scanner.Scan() {
			if mode == "lines" {
				kept = scanner.Text()
				total += int64(len(kept)) + 1
			} else {
				total += int64(len(scanner.Bytes())) + 1
			}
			requests++
		}
		if err := scanner.Err(); err != nil {
			log.Fatal(err)
		}
	default:
		log.Fatal("unknown mode")
	}
	fmt.Printf("{\"requests\":%d,\"seconds\":%.6f,\"bytes\":%d}\n", requests, time.Since(started).Seconds(), total)
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

func get(client *http.Client, url string) *http.Response {
	response, err := client.Get(url)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != 200 {
		log.Fatal(response.Status)
	}
	return response
}

func repeat(client *http.Client, url string, post bool, seconds float64, concurrency int) (int64, int64) {
	sent := bytes.Repeat([]byte("x"), 4096)
	deadline := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	var group sync.WaitGroup
	counts, totals := make([]int64, concurrency), make([]int64, concurrency)
	for worker := 0; worker < concurrency; worker++ {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			for {
				var response *http.Response
				if post {
					var err error
					response, err = client.Post(url, "application/octet-stream", bytes.NewReader(sent))
					if err != nil {
						log.Fatal(err)
					}
					if response.StatusCode != 200 {
						log.Fatal(response.Status)
					}
				} else {
					response = get(client, url)
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil {
					log.Fatal(err)
				}
				counts[worker]++
				totals[worker] += int64(len(body))
				if !time.Now().Before(deadline) {
					return
				}
			}
		}(worker)
	}
	group.Wait()
	var requests, total int64
	for worker := range counts {
		requests += counts[worker]
		total += totals[worker]
	}
	return requests, total
}
