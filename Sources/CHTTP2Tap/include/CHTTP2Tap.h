#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reports what libcurl does not report about an HTTP/2 stream: whether it ended with END_STREAM, and the error code it
// was closed with. It can also hold back bytes between nghttp2 and libcurl when libcurl has no room for them. libcurl
// calls nghttp2 through the dynamic linker, which finds the functions with these names here first. Each one does what
// nghttp2's function does, and a little more while the calling thread has tapped in.

enum {
  /// The maximum window for a stream's body that a server is offered.
  retriever_http2_stream_window = 1 << 20,
};

/// Starts or stops observing the calls of this thread. Calls nest.
void retriever_http2_tap_in(void);
void retriever_http2_tap_out(void);

/// A stream of a connection, as both libraries identify it. Valid as long as libcurl uses the connection for its
/// request.
typedef struct {
  void *session;
  void *context;
  int32_t number;
} retriever_http2_stream;

// Below, `request` is the user data that libcurl gave nghttp2 for a stream: an easy handle, or NULL.

#define retriever_http2_connection_broke UINT32_MAX

/// The callbacks; each receives the request of a stream.
typedef struct {
  /// Bytes of a response's body have arrived. Returns how many of them to pass to libcurl now; the listener keeps the
  /// others.
  size_t (*data)(void *request, retriever_http2_stream stream, const uint8_t *bytes, size_t count);
  /// Whether the listener keeps bytes of the stream. The stream's window stays closed as long as it does.
  bool (*keeps)(void *request);
  /// A complete HEADERS frame has arrived: the head of a response, or an interim one.
  void (*began)(void *request);
  /// The server ended its side of a stream (END_STREAM).
  void (*ended)(void *request);
  /// Whether to pass this RST_STREAM to libcurl.
  bool (*reset)(void *request, uint32_t error_code);
  /// A stream was closed. If the error code is `retriever_http2_connection_broke`, its connection is unusable. Returns
  /// whether to pass the event to libcurl now, with the error code that the listener leaves there; if not, the listener
  /// calls `retriever_http2_close` later.
  bool (*closed)(void *request, uint32_t *error_code);
} retriever_http2_listener;

/// Sets the callbacks. Call it once, before any thread taps in.
void retriever_http2_listen(const retriever_http2_listener *listener);

/// Passes bytes that were held back to libcurl.
void retriever_http2_give(
    retriever_http2_stream stream, void *request, const uint8_t *bytes, size_t count);

/// Passes the end of a stream that was held back to libcurl.
void retriever_http2_close(retriever_http2_stream stream, void *request, uint32_t error_code);

/// Closes the stream's window: the server may only send what it has already been offered, until libcurl sets the window
/// again.
void retriever_http2_shut_window(retriever_http2_stream stream);

/// Whether a connection's callbacks have been installed through this tap; false if the linker did not use it.
bool retriever_http2_is_tapped(void);
