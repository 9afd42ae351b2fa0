// A server that holds requests: it reads each request, and answers all of them when it gets SIGUSR1.
//
//   holder TARGET
//
// Prints "port P" when it listens, "held TARGET" each time it holds that many requests, and "open 0" when the last
// connection closes. Ends with its parent, at the end of its standard input, or on SIGTERM.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

// The state of a connection: how much of "\r\n\r\n" it has sent, and whether its request is held.
typedef struct {
  unsigned char matched;
  bool open, held;
} Connection;

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nheld";
static Connection *connections;
static int limit, target, held, open_connections;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void drop(int fd) {
  if (connections[fd].held) held--;
  connections[fd] = (Connection){0};
  close(fd);
  if (--open_connections == 0) printf("open 0\n");
}

static void receive(int fd) {
  char bytes[8192];
  ssize_t count = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    drop(fd);
    return;
  }
  Connection *connection = &connections[fd];
  for (ssize_t i = 0; i < count; i++) {
    if (bytes[i] == "\r\n\r\n"[connection->matched]) connection->matched++;
    else connection->matched = bytes[i] == '\r';
    if (connection->matched < 4) continue;
    connection->matched = 0;
    if (connection->held) continue;
    connection->held = true;
    if (++held == target) printf("held %d\n", held);
  }
}

static void answer_all(void) {
  for (int fd = 0; fd < limit && held > 0; fd++) {
    if (!connections[fd].held) continue;
    connections[fd].held = false;
    held--;
    // An empty socket buffer has room for forty bytes, unless the connection is closed.
    if (send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) drop(fd);
  }
}

int main(int argc, char **argv) {
  if (argc != 2 || (target = atoi(argv[1])) < 1) {
    fprintf(stderr, "usage: holder TARGET\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) die("getrlimit");
  files.rlim_cur = files.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) die("setrlimit");
  limit = files.rlim_cur > 100000 ? 100000 : (int)files.rlim_cur;
  connections = calloc((size_t)limit, sizeof(Connection));

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int wanted = signalfd(-1, &signals, SFD_CLOEXEC);

  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) != 0) die("bind");
  if (listen(listener, 16384) != 0) die("listen");
  getsockname(listener, (struct sockaddr *)&address, &length);
  printf("port %d\n", ntohs(address.sin_port));

  int poller = epoll_create1(EPOLL_CLOEXEC);
  int watched[] = {listener, wanted, STDIN_FILENO};
  for (int i = 0; i < 3; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = watched[i]};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, watched[i], &event) != 0) die("epoll_ctl");
  }
  for (;;) {
    struct epoll_event events[256];
    int count = epoll_wait(poller, events, 256, -1);
    for (int i = 0; i < count; i++) {
      int fd = events[i].data.fd;
      if (fd == STDIN_FILENO) {
        char byte;
        if (read(fd, &byte, 1) <= 0) return 0;
      } else if (fd == wanted) {
        struct signalfd_siginfo information;
        if (read(wanted, &information, sizeof information) > 0) answer_all();
      } else if (fd == listener) {
        int accepted;
        while ((accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
          if (accepted >= limit) {
            close(accepted);
            continue;
          }
          connections[accepted] = (Connection){.open = true};
          open_connections++;
          struct epoll_event event = {.events = EPOLLIN, .data.fd = accepted};
          epoll_ctl(poller, EPOLL_CTL_ADD, accepted, &event);
        }
      } else if (connections[fd].open) {
        receive(fd);
      }
    }
  }
}
