package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

// A dog in the lists that the server sends.
type dog struct {
	ID         int      `json:"id"`
	Name       string   `json:"name"`
	Breed      string   `json:"breed"`
	Weight     float64  `json:"weight"`
	Vaccinated bool     `json:"vaccinated"`
	Tags       []string `json:"tags"`
}

// Decodes a list of dogs, and returns the length of its text.
func decodeList(text []byte) int64 {
	var dogs []dog
	if err := json.Unmarshal(text, &dogs); err != nil {
		log.Fatal(err)
	}
	if len(dogs) == 0 {
		log.Fatal("the list is empty")
	}
	return int64(len(text))
}

// Sends a dog, and decodes the dog in the response.
func postDog(client *http.Client, url string) int64 {
	sent, err := json.Marshal(dog{ID: 7, Name: "Rex", Breed: "Beagle", Weight: 11.5, Vaccinated: true, Tags: []string{"calm", "old"}})
	if err != nil {
		log.Fatal(err)
	}
	text := body(post(client, url, "application/json", sent))
	var created dog
	if err := json.Unmarshal(text, &created); err != nil {
		log.Fatal(err)
	}
	return int64(len(text))
}

type request struct{ method, url string }

func readPlan(file string) (plan []request) {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		method, url, found := strings.Cut(line, " ")
		if !found {
			log.Fatal("invalid line in the plan: ", line)
		}
		plan = append(plan, request{method, url})
	}
	return plan
}

// Sends the requests of a plan in turn. Each worker begins with another one. With `decodes`, the bodies are JSON.
func runPlan(
	client *http.Client, plan []request, decodes bool, pause time.Duration, repetition repetition, result *result,
) {
	repetition.run(result, func(worker, step int) int64 {
		if pause > 0 && step%10 == 9 {
			time.Sleep(pause)
		}
		request := plan[(worker+step*repetition.concurrency)%len(plan)]
		switch {
		case request.method == "POST":
			return postDog(client, request.url)
		case decodes:
			return decodeList(body(get(client, request.url)))
		default:
			return int64(len(body(get(client, request.url))))
		}
	})
}
