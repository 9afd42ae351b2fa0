#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What libcurl does not say of an HTTP/2 stream: whether it ended with END_STREAM, and the error code it was closed
// with. And a place between the two where bytes can be kept back that libcurl has no room for. libcurl calls nghttp2
// through the dynamic linker, which takes the functions of these names here first; each does what nghttp2's own does,
// and a little more while the calling thread has tapped in.

enum {
  /// The largest window for a stream's body that a server is offered.
  retriever_http2_stream_window = 1 << 20,
};

/// From now on calls of this thread are observed, or are not. Calls nest.
void retriever_http2_tap_in(void);
void retriever_http2_tap_out(void);

/// A stream of a connection, as the two libraries know it. Of use as long as libcurl uses that connection for its request.
typedef struct {
  void *session;
  void *context;
  int32_t number;
} retriever_http2_stream;

// In what follows, `request` is what libcurl gave nghttp2 to know a stream by: an easy handle, or NULL.

#define retriever_http2_connection_broke UINT32_MAX

/// What is called, each with the request of a stream.
typedef struct {
  /// Bytes of a response's body have come. Answers how many of them libcurl shall have now; the others are the listener's
  /// to keep.
  size_t (*data)(void *request, retriever_http2_stream stream, const uint8_t *bytes, size_t count);
  /// Whether bytes of the stream are kept: its window stays shut as long as they are.
  bool (*keeps)(void *request);
  /// The server ended its side of a stream (END_STREAM).
  void (*ended)(void *request);
  /// Whether libcurl hears of this RST_STREAM.
  bool (*reset)(void *request, uint32_t error_code);
  /// A stream was closed, or, with `retriever_http2_connection_broke` for an error code, its connection is unusable.
  /// Answers whether libcurl hears of it now, with the code that is left there; if not, `retriever_http2_close` tells it.
  bool (*closed)(void *request, uint32_t *error_code);
} retriever_http2_listener;

/// Sets what is called, once, before any thread taps in.
void retriever_http2_listen(const retriever_http2_listener *listener);

/// Gives libcurl bytes that were kept back.
void retriever_http2_give(
    retriever_http2_stream stream, void *request, const uint8_t *bytes, size_t count);

/// Tells libcurl of an end that waited.
void retriever_http2_close(retriever_http2_stream stream, void *request, uint32_t error_code);

/// The server may send no more of a stream than it has been offered already, until libcurl sets the window again.
void retriever_http2_shut_window(retriever_http2_stream stream);

/// Whether a connection's callbacks have been installed through this tap: false where the linker did not take it.
bool retriever_http2_is_tapped(void);
