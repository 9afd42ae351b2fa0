package main

import (
	"fmt"
	"net/http"
	"runtime"
	"sort"
	"sync"
	"syscall"
	"time"
)

// Starts requests at a fixed rate, and measures each from its planned start. The starts come from a thread of their own
// with the kernel's timers, like those of the Swift client: timers of the runtime are a millisecond late.
func runPaced(client *http.Client, url string, rate, seconds float64, result *result) {
	count := int(rate * seconds)
	latencies := make([]time.Duration, count)
	lengths := make([]int64, count)
	var group sync.WaitGroup
	group.Add(count)
	runtime.LockOSThread()
	// Leaves out the requests that opened the connections.
	*result = *newResult()
	for number := 0; number < count; number++ {
		planned := result.started.Add(time.Duration(float64(number) / rate * 1e9))
		for wait := time.Until(planned); wait > 0; wait = time.Until(planned) {
			left := syscall.NsecToTimespec(int64(wait))
			syscall.Nanosleep(&left, nil)
		}
		go func(number int) {
			defer group.Done()
			lengths[number] = int64(len(body(get(client, url))))
			latencies[number] = time.Since(planned)
		}(number)
	}
	group.Wait()
	runtime.UnlockOSThread()
	result.requests = int64(count)
	for _, length := range lengths {
		result.bytes += length
	}
	sort.Slice(latencies, func(a, b int) bool { return latencies[a] < latencies[b] })
	for _, percentile := range []struct {
		name  string
		share float64
	}{{"p50_ms", 0.5}, {"p99_ms", 0.99}, {"p999_ms", 0.999}} {
		latency := latencies[int(float64(count-1)*percentile.share)]
		result.more += fmt.Sprintf(",\"%s\":%.6f", percentile.name, float64(latency)/1e6)
	}
	result.more += fmt.Sprintf(",\"rate\":%.1f", rate)
}
