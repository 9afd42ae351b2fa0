#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What libcurl does not say of an HTTP/2 stream: whether it ended with END_STREAM, and the error code it was closed
// with. libcurl calls nghttp2 through the dynamic linker, which takes the functions of these names here first; each
// does what nghttp2's own does, and a little more while the calling thread has tapped in.

enum {
  /// The largest window for a stream's body that a server is offered.
  retriever_http2_stream_window = 1 << 20,
};

/// From now on calls of this thread are observed, or are not. Calls nest.
void retriever_http2_tap_in(void);
void retriever_http2_tap_out(void);

// In what follows, `request` is what libcurl gave nghttp2 to know a stream by: an easy handle, or NULL.

/// Bytes of a response's body have come.
typedef void (*retriever_http2_data_function)(void *request, size_t count);

/// The server ended its side of a stream (END_STREAM).
typedef void (*retriever_http2_ended_function)(void *request);

/// A stream was closed, or, with `retriever_http2_connection_broke` for an error code, its connection is unusable. True
/// when the stream ended without an error and without END_STREAM having been seen.
typedef bool (*retriever_http2_closed_function)(void *request, uint32_t error_code);

#define retriever_http2_connection_broke UINT32_MAX

/// Sets what is called, once, before any thread taps in.
void retriever_http2_listen(
    retriever_http2_data_function data, retriever_http2_ended_function ended,
    retriever_http2_closed_function closed);

/// Whether a connection's callbacks have been installed through this tap: false where the linker did not take it.
bool retriever_http2_is_tapped(void);
