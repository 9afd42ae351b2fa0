// The C peer: libcurl's multi interface with epoll and curl_multi_socket_action, and reused easy handles. A careful C
// programmer would write such a program. It is the reference for the overhead of Retriever.
//
//   curl-client MODE URL [--seconds S] [--concurrency N] [--count N] [--trust FILE]
//
// MODE: get64 get1 post64 download suspended startup cancel connections. Prints one line of JSON.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { post_length = 4096, idle_limit_ms = 60000 };

typedef struct {
  CURL *easy;
  char *body;
  size_t length, capacity;
  uint64_t total;
  bool keep; // false: the body is counted and discarded, like `curl -o /dev/null`
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
} Options;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void die(const char *what) {
  fprintf(stderr, "curl-client: %s\n", what);
  exit(1);
}

static void check(CURLcode code) {
  if (code != CURLE_OK) die(curl_easy_strerror(code));
}

static void check_multi(CURLMcode code) {
  if (code != CURLM_OK) die(curl_multi_strerror(code));
}

static long status_kib(const char *field) {
  FILE *file = fopen("/proc/self/status", "r");
  if (!file) return -1;
  char line[256];
  long value = -1;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, field, strlen(field)) == 0) value = atol(line + strlen(field) + 1);
  fclose(file);
  return value;
}

static void reset_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (!file) return;
  fputs("5", file);
  fclose(file);
}

static int entries_of(const char *path) {
  DIR *directory = opendir(path);
  if (!directory) return -1;
  int count = 0;
  struct dirent *entry;
  while ((entry = readdir(directory)))
    if (entry->d_name[0] != '.') count++;
  closedir(directory);
  return count;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *assigned) {
  (void)easy;
  Loop *loop = context;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
    curl_multi_assign(loop->multi, fd, NULL);
    return 0;
  }
  struct epoll_event event = {.data.fd = fd};
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  epoll_ctl(loop->epoll, assigned ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
  if (!assigned) curl_multi_assign(loop->multi, fd, loop);
  return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context) {
  (void)multi;
  Loop *loop = context;
  loop->timer_at = timeout_ms < 0 ? -1 : now_ns() + (int64_t)timeout_ms * 1000000;
  return 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
  Transfer *transfer = context;
  size_t length = size * count;
  transfer->total += length;
  if (!transfer->keep) return length;
  if (transfer->length + length > transfer->capacity) {
    transfer->capacity = (transfer->length + length) * 2;
    transfer->body = realloc(transfer->body, transfer->capacity);
    if (!transfer->body) die("out of memory");
  }
  memcpy(transfer->body + transfer->length, bytes, length);
  transfer->length += length;
  return length;
}

static Loop open_loop(long connections) {
  Loop loop = {.multi = curl_multi_init(), .epoll = epoll_create1(EPOLL_CLOEXEC), .timer_at = -1};
  if (!loop.multi || loop.epoll < 0) die("could not create the multi handle or epoll");
  check_multi(curl_multi_setopt(loop.multi, CURLMOPT_MAXCONNECTS, connections));
  return loop;
}

// Sets the callbacks. They keep the address of the loop, so it must be final.
static void attach(Loop *loop) {
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
}

static void prepare(Transfer *transfer, Options options, bool keep) {
  transfer->keep = keep;
  transfer->easy = curl_easy_init();
  if (!transfer->easy) die("could not create an easy handle");
  check(curl_easy_setopt(transfer->easy, CURLOPT_URL, options.url));
  check(curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, on_body));
  check(curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer));
  check(curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer));
  check(curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L));
  if (strncmp(options.url, "https:", strlen("https:")) != 0) return;
  // Requests wait until it is known whether a connection uses HTTP/2, and share it.
  check(curl_easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, 1L));
  // With a directory of authorities, which is Debian's default, libcurl parses the file again for each connection.
  check(curl_easy_setopt(transfer->easy, CURLOPT_CAPATH, NULL));
  if (options.trust) check(curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, options.trust));
}

// Waits once and passes the events to curl. Returns false if nothing happened for idle_limit_ms.
static bool turn(Loop *loop, int extra_fd, bool *extra_ready) {
  int wait = idle_limit_ms;
  if (loop->timer_at >= 0) {
    int64_t left = loop->timer_at - now_ns();
    wait = left <= 0 ? 0 : (int)(left / 1000000 + 1);
    if (wait > idle_limit_ms) wait = idle_limit_ms;
  }
  struct epoll_event events[128];
  int count = epoll_wait(loop->epoll, events, 128, wait);
  if (count < 0 && errno != EINTR) die("epoll_wait failed");
  int running;
  if (loop->timer_at >= 0 && now_ns() >= loop->timer_at) {
    loop->timer_at = -1;
    check_multi(curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running));
  } else if (count == 0 && wait == idle_limit_ms) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (events[i].data.fd == extra_fd) {
      *extra_ready = true;
      continue;
    }
    int mask = 0;
    if (events[i].events & EPOLLIN) mask |= CURL_CSELECT_IN;
    if (events[i].events & EPOLLOUT) mask |= CURL_CSELECT_OUT;
    if (events[i].events & (EPOLLERR | EPOLLHUP)) mask |= CURL_CSELECT_ERR;
    check_multi(curl_multi_socket_action(loop->multi, events[i].data.fd, mask, &running));
  }
  return true;
}

// Removes finished transfers from the multi handle and calls `finished` for each. Returns their number.
typedef void (*Finished)(Loop *, Transfer *, void *);
static long collect(Loop *loop, Finished finished, void *context) {
  long done = 0;
  CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(loop->multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    check(message->data.result);
    CURL *easy = message->easy_handle;
    Transfer *transfer;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) die("a response's status was not 200");
    curl_multi_remove_handle(loop->multi, easy);
    done++;
    if (finished) finished(loop, transfer, context);
  }
  return done;
}

typedef struct {
  int64_t deadline;
  int running;
} Repetition;

static void start_again(Loop *loop, Transfer *transfer, void *context) {
  Repetition *repetition = context;
  transfer->length = 0;
  if (now_ns() < repetition->deadline)
    check_multi(curl_multi_add_handle(loop->multi, transfer->easy));
  else
    repetition->running--;
}

static void report(long requests, int64_t started, uint64_t bytes, long rss_start) {
  printf("{\"requests\":%ld,\"seconds\":%.6f,\"bytes\":%llu,\"rss_start_kib\":%ld,\"rss_kib\":%ld,"
         "\"peak_kib\":%ld,\"threads\":%d,\"finished_ns\":%lld}\n",
         requests, (now_ns() - started) / 1e9, (unsigned long long)bytes, rss_start, status_kib("VmRSS"),
         status_kib("VmHWM"), entries_of("/proc/self/task"), (long long)now_ns());
}

static void throughput(Options options, int concurrency, bool post) {
  Loop loop = open_loop(concurrency);
  attach(&loop);
  Transfer *transfers = calloc((size_t)concurrency, sizeof(Transfer));
  char *sent = malloc(post_length);
  memset(sent, 'x', post_length);
  // The Swift clients also send this content type, and no "Expect: 100-continue".
  struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/octet-stream");
  long rss = status_kib("VmRSS");
  int64_t started = now_ns();
  Repetition repetition = {started + (int64_t)(options.seconds * 1e9), concurrency};
  for (int i = 0; i < concurrency; i++) {
    prepare(&transfers[i], options, true);
    if (post) {
      check(curl_easy_setopt(transfers[i].easy, CURLOPT_POSTFIELDSIZE, (long)post_length));
      check(curl_easy_setopt(transfers[i].easy, CURLOPT_POSTFIELDS, sent));
      check(curl_easy_setopt(transfers[i].easy, CURLOPT_HTTPHEADER, headers));
    }
    check_multi(curl_multi_add_handle(loop.multi, transfers[i].easy));
  }
  long requests = 0;
  while (repetition.running > 0) {
    if (!turn(&loop, -1, NULL)) die("time-out: nothing happened for 60 seconds");
    requests += collect(&loop, start_again, &repetition);
  }
  uint64_t bytes = 0;
  for (int i = 0; i < concurrency; i++) bytes += transfers[i].total;
  report(requests, started, bytes, rss);
}

// Counts responses on resumed TLS sessions, which the server marks with a header field.
static size_t on_header(char *bytes, size_t size, size_t count, void *context) {
  static const char resumed[] = "TLS-Session: r";
  if (size * count >= strlen(resumed) && strncasecmp(bytes, resumed, strlen(resumed)) == 0) ++*(long *)context;
  return size * count;
}

// Opens a new connection for each load, one after the other: the server closes each. A share handle keeps TLS sessions.
static void connections(Options options) {
  Loop loop = open_loop(1);
  attach(&loop);
  CURLSH *share = curl_share_init();
  if (!share || curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK)
    die("could not create a share handle");
  long rss = status_kib("VmRSS"), requests = 0, resumed = 0;
  int64_t started = now_ns();
  Repetition repetition = {started + (int64_t)(options.seconds * 1e9), 1};
  Transfer transfer = {0};
  prepare(&transfer, options, true);
  check(curl_easy_setopt(transfer.easy, CURLOPT_SHARE, share));
  check(curl_easy_setopt(transfer.easy, CURLOPT_HEADERFUNCTION, on_header));
  check(curl_easy_setopt(transfer.easy, CURLOPT_HEADERDATA, &resumed));
  check_multi(curl_multi_add_handle(loop.multi, transfer.easy));
  while (repetition.running > 0) {
    if (!turn(&loop, -1, NULL)) die("time-out: nothing happened for 60 seconds");
    requests += collect(&loop, start_again, &repetition);
  }
  printf("{\"requests\":%ld,\"seconds\":%.6f,\"bytes\":%llu,\"rss_start_kib\":%ld,\"resumed\":%ld}\n",
         requests, (now_ns() - started) / 1e9, (unsigned long long)transfer.total, rss, resumed);
}

static void one(Options options) {
  reset_peak();
  long rss = status_kib("VmRSS");
  Loop loop = open_loop(4);
  attach(&loop);
  int64_t started = now_ns();
  Transfer transfer = {0};
  prepare(&transfer, options, false);
  curl_easy_setopt(transfer.easy, CURLOPT_BUFFERSIZE, 102400L); // the value of the curl command
  check_multi(curl_multi_add_handle(loop.multi, transfer.easy));
  while (collect(&loop, NULL, NULL) == 0)
    if (!turn(&loop, -1, NULL)) die("time-out: nothing happened for 60 seconds");
  report(1, started, transfer.total, rss);
}

static Transfer *start_many(Loop *loop, Options options) {
  Transfer *transfers = calloc((size_t)options.count, sizeof(Transfer));
  for (int i = 0; i < options.count; i++) {
    prepare(&transfers[i], options, true);
    check_multi(curl_multi_add_handle(loop->multi, transfers[i].easy));
  }
  return transfers;
}

static void suspended(Options options) {
  long rss = status_kib("VmRSS");
  Loop loop = open_loop(options.count);
  attach(&loop);
  int64_t started = now_ns();
  Transfer *transfers = start_many(&loop, options);
  long done = 0;
  while (done < options.count) {
    if (!turn(&loop, -1, NULL)) die("time-out: nothing happened for 60 seconds");
    done += collect(&loop, NULL, NULL);
  }
  uint64_t bytes = 0;
  for (int i = 0; i < options.count; i++) bytes += transfers[i].total;
  report(done, started, bytes, rss);
}

// Starts `count` requests that the server does not answer. Cancels all of them when a line arrives on standard input.
static void cancel(Options options) {
  int files_before = entries_of("/proc/self/fd");
  long rss = status_kib("VmRSS");
  Loop loop = open_loop(options.count);
  attach(&loop);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = STDIN_FILENO};
  if (epoll_ctl(loop.epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0) die("standard input is not a pipe");
  Transfer *transfers = start_many(&loop, options);
  bool signalled = false;
  while (!signalled) {
    if (!turn(&loop, STDIN_FILENO, &signalled)) die("time-out: nothing happened for 60 seconds");
    if (collect(&loop, NULL, NULL) > 0) die("a request ended before it was cancelled");
  }
  int64_t started = now_ns();
  for (int i = 0; i < options.count; i++) {
    curl_multi_remove_handle(loop.multi, transfers[i].easy);
    curl_easy_cleanup(transfers[i].easy);
  }
  double seconds = (now_ns() - started) / 1e9;
  curl_multi_cleanup(loop.multi);
  close(loop.epoll);
  printf("{\"requests\":%d,\"seconds\":%.6f,\"bytes\":0,\"rss_start_kib\":%ld,\"rss_kib\":%ld,"
         "\"peak_kib\":%ld,\"threads\":%d,\"files_before\":%d,\"files_after\":%d}\n",
         options.count, seconds, rss, status_kib("VmRSS"), status_kib("VmHWM"),
         entries_of("/proc/self/task"), files_before, entries_of("/proc/self/fd"));
}

int main(int argc, char **argv) {
  if (argc < 3) die("usage: curl-client MODE URL [--seconds S] [--concurrency N] [--count N] [--trust FILE]");
  Options options = {argv[1], argv[2], 2, 64, 10000, NULL};
  for (int i = 3; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--seconds") == 0) options.seconds = atof(argv[i + 1]);
    else if (strcmp(argv[i], "--concurrency") == 0) options.concurrency = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--count") == 0) options.count = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--trust") == 0) options.trust = argv[i + 1];
    else die("unknown option");
  }
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  check(curl_global_init(CURL_GLOBAL_DEFAULT));
  if (strcmp(options.mode, "get64") == 0) throughput(options, options.concurrency, false);
  else if (strcmp(options.mode, "get1") == 0) throughput(options, 1, false);
  else if (strcmp(options.mode, "post64") == 0) throughput(options, options.concurrency, true);
  else if (strcmp(options.mode, "download") == 0) one(options);
  else if (strcmp(options.mode, "startup") == 0) one(options);
  else if (strcmp(options.mode, "suspended") == 0) suspended(options);
  else if (strcmp(options.mode, "cancel") == 0) cancel(options);
  else if (strcmp(options.mode, "connections") == 0) connections(options);
  else die("unknown mode");
  return 0;
}
