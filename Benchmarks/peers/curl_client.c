// The C peer: libcurl's multi interface with epoll and curl_multi_socket_action, and reused easy handles. A careful C
// programmer would write such a program. It is the reference for the overhead of Retriever.
//
//   curl-client MODE URL [--seconds S] [--concurrency N] [--count N] [--size BYTES] [--trust FILE] [--plan FILE]
//               [--compressed yes]
//
// MODE: get64 get1 post64 download suspended startup cancel connections. Prints one line of JSON. With a plan, get64
// and get1 load the URLs of its lines, `GET URL`, in turn.
#define _GNU_SOURCE
#include "curl_loop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

// Transfers that start again until the deadline. With a plan, each takes the URLs of the plan in turn.
typedef struct {
  int64_t deadline;
  int running;
  char **urls; // NULL if there is no plan
  int url_count, step;
} Repetition;

static void take_url(Transfer *transfer, const Repetition *repetition) {
  if (!repetition->urls) return;
  check(curl_easy_setopt(transfer->easy, CURLOPT_URL, repetition->urls[transfer->next]));
  transfer->next = (transfer->next + repetition->step) % repetition->url_count;
}

static void start_again(Loop *loop, Transfer *transfer, void *context) {
  Repetition *repetition = context;
  transfer->length = 0;
  if (now_ns() >= repetition->deadline) {
    repetition->running--;
    return;
  }
  take_url(transfer, repetition);
  check_multi(curl_multi_add_handle(loop->multi, transfer->easy));
}

// Reads the URLs of a plan. Every line must be a GET.
static void read_plan(const char *path, Repetition *repetition) {
  FILE *file = fopen(path, "r");
  if (!file) die("could not read the plan");
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "GET ", 4) != 0) die("the plan has a line without GET");
    line[strcspn(line, "\n")] = 0;
    repetition->urls = realloc(repetition->urls, (size_t)(repetition->url_count + 1) * sizeof(char *));
    if (!repetition->urls) die("out of memory");
    repetition->urls[repetition->url_count++] = strdup(line + 4);
  }
  fclose(file);
  if (repetition->url_count == 0) die("the plan is empty");
}

static void report(long requests, int64_t started, uint64_t bytes, long rss_start) {
  printf("{\"requests\":%ld,\"seconds\":%.6f,\"bytes\":%llu,\"rss_start_kib\":%ld,\"rss_kib\":%ld,"
         "\"peak_kib\":%ld,\"threads\":%d,\"finished_ns\":%lld}\n",
         requests, (now_ns() - started) / 1e9, (unsigned long long)bytes, rss_start, status_kib("VmRSS"),
         status_kib("VmHWM"), entries_of("/proc/self/task"), (long long)now_ns());
}

static void throughput(Options options, int concurrency, bool post) {
  Repetition repetition = {.running = concurrency, .step = concurrency};
  if (options.plan) read_plan(options.plan, &repetition);
  Loop loop = open_loop(concurrency + repetition.url_count);
  attach(&loop);
  Transfer *transfers = calloc((size_t)concurrency, sizeof(Transfer));
  char *sent = malloc((size_t)options.size);
  memset(sent, 'x', (size_t)options.size);
  // The Swift clients also send this content type, and no "Expect: 100-continue".
  struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/octet-stream");
  long rss = status_kib("VmRSS");
  int64_t started = now_ns();
  repetition.deadline = started + (int64_t)(options.seconds * 1e9);
  for (int i = 0; i < concurrency; i++) {
    prepare(&transfers[i], options, true);
    if (repetition.urls) transfers[i].next = i % repetition.url_count;
    take_url(&transfers[i], &repetition);
    if (post) {
      check(curl_easy_setopt(transfers[i].easy, CURLOPT_POSTFIELDSIZE, (long)options.size));
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
  Repetition repetition = {.deadline = started + (int64_t)(options.seconds * 1e9), .running = 1};
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
  if (argc < 3)
    die("usage: curl-client MODE URL [--seconds S] [--concurrency N] [--count N] [--size BYTES] [--trust FILE]"
        " [--plan FILE] [--compressed yes]");
  Options options = {
      .mode = argv[1], .url = argv[2], .seconds = 2, .concurrency = 64, .count = 10000, .size = 4096};
  for (int i = 3; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--seconds") == 0) options.seconds = atof(argv[i + 1]);
    else if (strcmp(argv[i], "--concurrency") == 0) options.concurrency = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--count") == 0) options.count = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--size") == 0) options.size = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--trust") == 0) options.trust = argv[i + 1];
    else if (strcmp(argv[i], "--plan") == 0) options.plan = argv[i + 1];
    else if (strcmp(argv[i], "--compressed") == 0) options.compressed = strcmp(argv[i + 1], "yes") == 0;
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
