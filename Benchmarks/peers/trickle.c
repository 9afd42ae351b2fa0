// Sends one file to the first client at a constant rate, like a slow network.
//
//   trickle FILE BYTES_PER_SECOND
//
// Prints "port P" when it listens, and "last NS" (monotonic clock) when it has written the last bytes. Ends with its
// parent.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) {
  perror(what);
  exit(1);
}

static long long nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void send_all(int client, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(client, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) die("send");
    bytes += sent;
    count -= (size_t)sent;
  }
}

static int listener(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, 8) != 0) die("listen");
  getsockname(fd, (struct sockaddr *)&address, &length);
  printf("port %d\n", ntohs(address.sin_port));
  return fd;
}

static void read_request(int client) {
  char request[8192];
  size_t have = 0;
  while (have < sizeof request - 1) {
    ssize_t count = recv(client, request + have, sizeof request - 1 - have, 0);
    if (count <= 0) die("recv");
    have += (size_t)count;
    request[have] = 0;
    if (strstr(request, "\r\n\r\n")) return;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: trickle FILE BYTES_PER_SECOND\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct stat status;
  int file = open(argv[1], O_RDONLY | O_CLOEXEC);
  double rate = strtod(argv[2], NULL);
  if (file < 0 || fstat(file, &status) != 0 || rate <= 0) die(argv[1]);
  size_t size = (size_t)status.st_size;
  char *bytes = malloc(size);
  if (!bytes || read(file, bytes, size) != (ssize_t)size) die(argv[1]);

  int client = accept4(listener(), NULL, NULL, SOCK_CLOEXEC);
  if (client < 0) die("accept");
  int yes = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  read_request(client);
  char head[256];
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: %zu\r\n\r\n", size);
  send_all(client, head, (size_t)length);
  // Sends small pieces, in bursts as short as timers allow.
  const size_t piece = 8192;
  long long started = nanoseconds();
  for (size_t sent = 0; sent < size;) {
    size_t count = size - sent < piece ? size - sent : piece;
    long long due = started + (long long)((double)(sent + count) / rate * 1e9);
    struct timespec until = {.tv_sec = due / 1000000000LL, .tv_nsec = due % 1000000000LL};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) continue;
    send_all(client, bytes + sent, count);
    sent += count;
  }
  printf("last %lld\n", nanoseconds());
  // Waits until the client closes the connection.
  char rest[64];
  while (recv(client, rest, sizeof rest, 0) > 0) continue;
  return 0;
}
