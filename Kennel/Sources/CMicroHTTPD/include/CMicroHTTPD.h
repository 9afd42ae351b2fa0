// Wrappers for parts of libmicrohttpd and the kernel that Swift cannot import: variadic functions, result unions, and
// va_list.
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The options of a daemon. The daemon reads the pointers only during the start, except `context`.
struct cmhd_options {
  int listening_socket;
  unsigned int backlog;
  unsigned int connection_limit;
  unsigned int connection_limit_per_address;
  size_t connection_memory;
  size_t connection_memory_increment;
  /// PEM text, or null for plain HTTP.
  const char *tls_key;
  const char *tls_certificate;
  const char *tls_key_password;
  const char *tls_priorities;
  /// The context for all callbacks.
  void *context;
  MHD_AccessHandlerCallback handle;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection_changed;
  void *(*request_line)(void *context, const char *target, struct MHD_Connection *connection);
  void (*log)(void *context, const char *message);
};

/// The length that means "unknown" in MHD, which defines it as a macro.
extern const uint64_t cmhd_size_unknown;

/// Starts a daemon without a thread; its owner calls `MHD_run`. Returns null if it cannot start.
struct MHD_Daemon *cmhd_start(const struct cmhd_options *options);

/// Returns the descriptor that becomes readable when `MHD_run` has work to do, or -1 if there is none.
int cmhd_epoll_descriptor(struct MHD_Daemon *daemon);

/// Returns the connection's socket, or -1 if it is unknown.
int cmhd_socket(struct MHD_Connection *connection);

/// Returns the address of the client, or null if it is unknown.
const struct sockaddr *cmhd_client_address(struct MHD_Connection *connection);

/// Returns the pointer that the connection callback stored when the connection started.
void *cmhd_socket_context(struct MHD_Connection *connection);

/// Returns the size of the request line and header fields in bytes.
size_t cmhd_header_size(struct MHD_Connection *connection);

bool cmhd_is_suspended(struct MHD_Connection *connection);

/// The progress of sending on a socket.
struct cmhd_sending_progress {
  /// The number of bytes that the other side has acknowledged.
  uint64_t acknowledged;
  /// Whether bytes are waiting to be sent or acknowledged.
  bool is_pending;
};

/// Gets the progress of sending on a TCP socket. Returns false for other sockets.
bool cmhd_sending_progress(int descriptor, struct cmhd_sending_progress *progress);

#ifdef __cplusplus
}
#endif
