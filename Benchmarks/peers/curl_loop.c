#define _GNU_SOURCE
#include "curl_loop.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

enum { idle_limit_ms = 60000 };

int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void die(const char *what) {
  fprintf(stderr, "curl-client: %s\n", what);
  exit(1);
}

void check(CURLcode code) {
  if (code != CURLE_OK) die(curl_easy_strerror(code));
}

void check_multi(CURLMcode code) {
  if (code != CURLM_OK) die(curl_multi_strerror(code));
}

long status_kib(const char *field) {
  FILE *file = fopen("/proc/self/status", "r");
  if (!file) return -1;
  char line[256];
  long value = -1;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, field, strlen(field)) == 0) value = atol(line + strlen(field) + 1);
  fclose(file);
  return value;
}

void reset_peak(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (!file) return;
  fputs("5", file);
  fclose(file);
}

int entries_of(const char *path) {
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

Loop open_loop(long connections) {
  Loop loop = {.multi = curl_multi_init(), .epoll = epoll_create1(EPOLL_CLOEXEC), .timer_at = -1};
  if (!loop.multi || loop.epoll < 0) die("could not create the multi handle or epoll");
  check_multi(curl_multi_setopt(loop.multi, CURLMOPT_MAXCONNECTS, connections));
  return loop;
}

void attach(Loop *loop) {
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
}

void prepare(Transfer *transfer, Options options, bool keep) {
  transfer->keep = keep;
  transfer->easy = curl_easy_init();
  if (!transfer->easy) die("could not create an easy handle");
  check(curl_easy_setopt(transfer->easy, CURLOPT_URL, options.url));
  check(curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, on_body));
  check(curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer));
  check(curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer));
  check(curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L));
  // Empty: every encoding that libcurl can decode.
  if (options.compressed) check(curl_easy_setopt(transfer->easy, CURLOPT_ACCEPT_ENCODING, ""));
  if (strncmp(options.url, "https:", strlen("https:")) != 0) return;
  // Requests wait until it is known whether a connection uses HTTP/2, and share it.
  check(curl_easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, 1L));
  // With a directory of authorities, which is Debian's default, libcurl parses the file again for each connection.
  check(curl_easy_setopt(transfer->easy, CURLOPT_CAPATH, NULL));
  if (options.trust) check(curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, options.trust));
}

bool turn(Loop *loop, int extra_fd, bool *extra_ready) {
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

long collect(Loop *loop, Finished finished, void *context) {
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
