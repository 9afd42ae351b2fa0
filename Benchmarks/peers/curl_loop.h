// A loop of libcurl's multi interface with epoll and curl_multi_socket_action, and reused easy handles.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  CURL *easy;
  char *body;
  size_t length, capacity;
  uint64_t total;
  bool keep; // false: the body is counted and discarded, like `curl -o /dev/null`
  int next;  // the number of the next URL of a plan
} Transfer;

typedef struct {
  CURLM *multi;
  int epoll;
  int64_t timer_at; // monotonic time in ns; -1 if there is no timer
} Loop;

typedef struct {
  const char *mode, *url;
  double seconds;
  int concurrency, count;
  const char *trust; // a file of certificate authorities
  const char *plan;  // a file with a method and a URL in each line
  int size;          // the length of a body that is sent
  bool compressed;   // whether responses may be compressed
} Options;

int64_t now_ns(void);
void die(const char *what);
void check(CURLcode code);
void check_multi(CURLMcode code);

// Returns a field of /proc/self/status, in KiB.
long status_kib(const char *field);
void reset_peak(void);
int entries_of(const char *path);

Loop open_loop(long connections);

// Sets the callbacks. They keep the address of the loop, so it must be final.
void attach(Loop *loop);

// Creates the transfer's handle. If `keep` is false, the body is only counted.
void prepare(Transfer *transfer, Options options, bool keep);

// Waits once and passes the events to curl. Returns false if nothing happened for a minute.
bool turn(Loop *loop, int extra_fd, bool *extra_ready);

// Removes finished transfers from the multi handle and calls `finished` for each. Returns their number.
typedef void (*Finished)(Loop *, Transfer *, void *);
long collect(Loop *loop, Finished finished, void *context);
