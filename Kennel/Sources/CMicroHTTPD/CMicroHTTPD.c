#ifdef __linux__

#include "CMicroHTTPD.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const uint64_t cmhd_size_unknown = MHD_SIZE_UNKNOWN;

// MHD's message when the handler ends a connection, for example because its client has gone. This is no error.
static const char handler_ended_connection[] = "Application reported internal error";

// MHD's logger has only one context, so it gets the options, which contain the log function and its context. MHD calls
// the logger only during calls that are made while the owner of the options exists.
static void forward_log(void *context, const char *format, va_list arguments) {
  const struct cmhd_options *options = context;
  char message[512];
  int length = vsnprintf(message, sizeof message, format, arguments);
  if (length <= 0 || strncmp(message, handler_ended_connection, strlen(handler_ended_connection)) == 0) return;
  message[strcspn(message, "\r\n")] = 0;
  options->log(options->context, message);
}

// The caller parses and decodes paths and queries.
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

// Before version 1.0, strictness 1 only makes MHD itself answer requests without a Host or with a space in the target,
// which the caller should answer instead. Since 1.0, it also controls which line ends MHD accepts.
#if MHD_VERSION < 0x01000000
static const int strictness = 0;
#else
static const int strictness = 1;
#endif

struct MHD_Daemon *cmhd_start(const struct cmhd_options *options) {
  struct MHD_OptionItem items[8];
  size_t count = 0;
  if (options->tls_key != NULL && options->tls_certificate != NULL) {
    items[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)options->tls_key};
    items[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)options->tls_certificate};
    items[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)options->tls_priorities};
    if (options->tls_key_password != NULL)
      items[count++] =
          (struct MHD_OptionItem){MHD_OPTION_HTTPS_KEY_PASSWORD, 0, (void *)options->tls_key_password};
  }
  items[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};

  unsigned int flags = MHD_USE_ERROR_LOG | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO;
  if (options->tls_key != NULL && options->tls_certificate != NULL) flags |= MHD_USE_TLS;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, options->handle, options->context,
      // The logger comes first, so that it receives errors about the other options.
      MHD_OPTION_EXTERNAL_LOGGER, forward_log, (void *)options,
      MHD_OPTION_LISTEN_SOCKET, (MHD_socket)options->listening_socket,
      MHD_OPTION_LISTEN_BACKLOG_SIZE, options->backlog,
      MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, options->connection_limit_per_address,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory,
      MHD_OPTION_CONNECTION_MEMORY_INCREMENT, options->connection_memory_increment,
      // The owner has its own time limits. MHD's time-out restarts with every byte, so slow senders would never expire.
      MHD_OPTION_CONNECTION_TIMEOUT, 0u,
      MHD_OPTION_STRICT_FOR_CLIENT, strictness,
      // The owner's thread blocks all signals.
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
      MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
      MHD_OPTION_URI_LOG_CALLBACK, options->request_line, options->context,
      MHD_OPTION_NOTIFY_COMPLETED, options->completed, options->context,
      MHD_OPTION_NOTIFY_CONNECTION, options->connection_changed, options->context,
      MHD_OPTION_ARRAY, items,
      MHD_OPTION_END);
}

int cmhd_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

int cmhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

const struct sockaddr *cmhd_client_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

void *cmhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

size_t cmhd_header_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

bool cmhd_is_suspended(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_SUSPENDED);
  return info != NULL && info->suspended != MHD_NO;
}

bool cmhd_sending_progress(int descriptor, struct cmhd_sending_progress *progress) {
  struct tcp_info info;
  memset(&info, 0, sizeof info);
  socklen_t length = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  if (length < offsetof(struct tcp_info, tcpi_notsent_bytes) + sizeof info.tcpi_notsent_bytes) return false;
  progress->acknowledged = info.tcpi_bytes_acked;
  progress->is_pending = info.tcpi_unacked > 0 || info.tcpi_notsent_bytes > 0;
  return true;
}

#endif
