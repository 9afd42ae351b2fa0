// What Swift cannot import of libmicrohttpd and of the kernel: variadic functions, unions of results, va_list.
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a daemon is started with; pointers are read during the start only, except `context`.
struct cmhd_options {
  int listening_socket;
  unsigned int backlog;
  unsigned int connection_limit;
  unsigned int connection_limit_per_address;
  size_t connection_memory;
  size_t connection_memory_increment;
  /// PEM texts, or null for plain HTTP.
  const char *tls_key;
  const char *tls_certificate;
  const char *tls_key_password;
  const char *tls_priorities;
  /// Handed to every callback.
  void *context;
  MHD_AccessHandlerCallback handle;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection_changed;
  void *(*request_line)(void *context, const char *target, struct MHD_Connection *connection);
  void (*log)(void *context, const char *message);
};

/// The length MHD takes for "not known"; a macro in its header.
extern const uint64_t cmhd_size_unknown;

/// Starts a daemon that has no thread: its owner calls `MHD_run`. Null when it cannot start.
struct MHD_Daemon *cmhd_start(const struct cmhd_options *options);

/// The descriptor that is readable when `MHD_run` has something to do; -1 when there is none.
int cmhd_epoll_descriptor(struct MHD_Daemon *daemon);

/// The connection's socket; -1 when MHD does not tell.
int cmhd_socket(struct MHD_Connection *connection);

/// Where the client is; null when MHD does not tell.
const struct sockaddr *cmhd_client_address(struct MHD_Connection *connection);

/// What the connection callback stored when the connection began.
void *cmhd_socket_context(struct MHD_Connection *connection);

/// The bytes of the request's line and header fields.
size_t cmhd_header_size(struct MHD_Connection *connection);

bool cmhd_is_suspended(struct MHD_Connection *connection);

/// How a socket's sending goes.
struct cmhd_sending_progress {
  /// All bytes the other side has confirmed.
  uint64_t acknowledged;
  /// Whether bytes wait to be sent or confirmed.
  bool is_pending;
};

/// False for a socket that is not TCP.
bool cmhd_sending_progress(int descriptor, struct cmhd_sending_progress *progress);

#ifdef __cplusplus
}
#endif
