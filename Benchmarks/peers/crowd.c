// Simulates many listeners to a kennel, on one thread.
//
//   crowd COUNT PORT [PATH COOKIE]
//
// Each listener requests /events and waits for the greeting. Then the program prints "ready COUNT". For each line of
// its standard input, it adds a heart to PATH with COOKIE, or removes it, and prints a line of JSON when all listeners
// have received the event. Ends at the end of its standard input.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// The state of a listener: how many bytes of the expected word it has received, and whether the word is complete.
typedef struct {
  int fd;
  unsigned matched;
  bool heard;
} Listener;

static Listener *listeners;
static int count, poller;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int connected(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  // Thousands of connections in TIME_WAIT would disturb the next round.
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  return fd;
}

static void send_all(int fd, const char *text) {
  size_t length = strlen(text);
  if (send(fd, text, length, MSG_NOSIGNAL) != (ssize_t)length) die("send");
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Waits until all listeners have received a word.
static void hear(const char *word) {
  size_t length = strlen(word);
  for (int i = 0; i < count; i++) listeners[i].matched = 0, listeners[i].heard = false;
  int left = count;
  // Heartbeats arrive all the time, so a failure is not visible as silence. Uses a deadline.
  double deadline = now() + 30;
  struct epoll_event events[512];
  while (left > 0) {
    int ready = epoll_wait(poller, events, 512, 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0 || now() > deadline) {
      fprintf(stderr, "crowd: %d of %d listeners did not receive %s\n", left, count, word);
      exit(1);
    }
    for (int e = 0; e < ready; e++) {
      Listener *listener = &listeners[events[e].data.u32];
      char bytes[4096];
      ssize_t got = recv(listener->fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (got <= 0) {
        fprintf(stderr, "crowd: the server closed a connection\n");
        exit(1);
      }
      // A simple search is sufficient: the first letter of each expected word occurs only once in the word.
      for (ssize_t i = 0; i < got && !listener->heard; i++) {
        if (bytes[i] == word[listener->matched]) listener->matched++;
        else listener->matched = bytes[i] == word[0];
        if (listener->matched == length) {
          listener->heard = true;
          left--;
        }
      }
    }
  }
}

static void favour(int fd, const char *method, const char *path, const char *cookie) {
  char request[1024];
  snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: localhost\r\nCookie: %s\r\nContent-Length: 0\r\n\r\n",
           method, path, cookie);
  send_all(fd, request);
}

static void answered(int fd) {
  char answer[4096];
  ssize_t got = recv(fd, answer, sizeof answer - 1, 0);
  if (got <= 0) die("the heart");
  answer[got] = 0;
  if (strncmp(answer, "HTTP/1.1 200 ", 13) == 0) return;
  fprintf(stderr, "crowd: unexpected response to the heart: %s\n", answer);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 5) {
    fprintf(stderr, "usage: crowd COUNT PORT [PATH COOKIE]\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  setvbuf(stdout, NULL, _IOLBF, 0);
  count = atoi(argv[1]);
  int port = atoi(argv[2]);
  listeners = calloc((size_t)count, sizeof *listeners);
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (!listeners || poller < 0) die("crowd");
  int hand = argc == 5 ? connected(port) : -1;
  char line[64];
  // Removes the heart before the listeners connect, so that the first heart is a change.
  if (hand >= 0) favour(hand, "DELETE", argv[3], argv[4]), answered(hand);
  for (int i = 0; i < count; i++) {
    listeners[i].fd = connected(port);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (unsigned)i};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, listeners[i].fd, &event) != 0) die("epoll_ctl");
    send_all(listeners[i].fd, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  hear("hello");
  printf("ready %d\n", count);

  for (bool heart = true; hand >= 0 && fgets(line, sizeof line, stdin); heart = !heart) {
    double start = now();
    favour(hand, heart ? "PUT" : "DELETE", argv[3], argv[4]);
    hear("favourites");
    double seconds = now() - start;
    answered(hand);
    printf("{\"requests\":%d,\"seconds\":%.9f,\"bytes\":0}\n", count, seconds);
  }
  // Without PATH, waits until the end of standard input.
  while (fgets(line, sizeof line, stdin)) continue;
  return 0;
}
