#pragma once
#include <stdbool.h>
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

/// A stream was closed. `request` is what libcurl gave nghttp2 to know the stream by: an easy handle, or NULL.
typedef void (*retriever_http2_closed_function)(void *request, bool saw_end_of_stream, uint32_t error_code);

/// Sets what is called, once, before any thread taps in.
void retriever_http2_on_close(retriever_http2_closed_function function);

/// Whether a connection's callbacks have been installed through this tap: false where the linker did not take it.
bool retriever_http2_is_tapped(void);
