package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"sync"
	"time"
)

func get(client *http.Client, url string) *http.Response {
	return checked(client.Get(url))
}

func post(client *http.Client, url, contentType string, sent []byte) *http.Response {
	return checked(client.Post(url, contentType, bytes.NewReader(sent)))
}

func checked(response *http.Response, err error) *http.Response {
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != 200 {
		log.Fatal(response.Status)
	}
	return response
}

func body(response *http.Response) []byte {
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		log.Fatal(err)
	}
	return body
}

// Concurrent workers that send requests until the time is over.
type repetition struct {
	seconds     float64
	concurrency int
}

// Calls `load` with the number of the worker and of its request. It returns the length of the response's body.
func (repetition repetition) run(result *result, load func(worker, step int) int64) {
	deadline := time.Now().Add(time.Duration(repetition.seconds * float64(time.Second)))
	var group sync.WaitGroup
	counts, totals := make([]int64, repetition.concurrency), make([]int64, repetition.concurrency)
	for worker := 0; worker < repetition.concurrency; worker++ {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			for step := 0; step == 0 || time.Now().Before(deadline); step++ {
				totals[worker] += load(worker, step)
				counts[worker]++
			}
		}(worker)
	}
	group.Wait()
	for worker := range counts {
		result.requests += counts[worker]
		result.bytes += totals[worker]
	}
}
