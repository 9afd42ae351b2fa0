// A minimal libmicrohttpd server for listeners: it greets each one, and then suspends its connection.
//
//   stream LIMIT
//
// The memory limit of a connection and the size of a response's buffer are those of HTTPService. Prints "port P" when
// it listens, and runs until it is killed.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static const char greeting[] = "{\"kind\":\"hello\"}\n";

static ssize_t fill(void *connection, uint64_t position, char *buffer, size_t size) {
  if (position > 0) {
    MHD_suspend_connection(connection);
    return 0;
  }
  (void)size;
  memcpy(buffer, greeting, sizeof greeting - 1);
  return sizeof greeting - 1;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **state) {
  (void)context, (void)url, (void)method, (void)version, (void)data, (void)size;
  if (!*state) {
    *state = connection;
    return MHD_YES;
  }
  struct MHD_Response *response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32 * 1024, fill, connection, NULL);
  MHD_add_response_header(response, "Content-Type", "application/x-ndjson");
  enum MHD_Result result = MHD_queue_response(connection, 200, response);
  MHD_destroy_response(response);
  return result;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: stream LIMIT\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR,
      (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)atoi(argv[1]),
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)48 * 1024, MHD_OPTION_CONNECTION_MEMORY_INCREMENT, (size_t)4096,
      MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_END);
  if (!daemon) {
    fprintf(stderr, "stream: could not start libmicrohttpd\n");
    return 1;
  }
  printf("port %d\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  while (1) pause();
}
