// RTLD_NEXT is an extension.
#define _GNU_SOURCE
#include "CHTTP2Tap.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

// The parts of nghttp2's binary interface that are used here, as its manual gives them. Its header need not be
// installed, and a program whose libcurl does without nghttp2 does without it too.

typedef struct nghttp2_session nghttp2_session;
typedef struct nghttp2_session_callbacks nghttp2_session_callbacks;
typedef struct {
  int32_t settings_id;
  uint32_t value;
} nghttp2_settings_entry;
typedef int (*on_stream_close)(nghttp2_session *, int32_t stream, uint32_t error_code, void *context);

enum { SETTINGS_INITIAL_WINDOW_SIZE = 4, NO_ERROR = 0, INTERNAL_ERROR = 2, MOST_SETTINGS = 16 };

void nghttp2_session_callbacks_set_on_stream_close_callback(nghttp2_session_callbacks *, on_stream_close);
int nghttp2_submit_settings(
    nghttp2_session *, uint8_t flags, const nghttp2_settings_entry *entries, size_t count);
int nghttp2_session_set_local_window_size(nghttp2_session *, uint8_t flags, int32_t stream, int32_t size);

static void (*next_set_on_stream_close)(nghttp2_session_callbacks *, on_stream_close);
static int (*next_submit_settings)(nghttp2_session *, uint8_t, const nghttp2_settings_entry *, size_t);
static int (*next_set_local_window_size)(nghttp2_session *, uint8_t, int32_t, int32_t);
static int (*next_get_remote_close)(nghttp2_session *, int32_t);
static void *(*next_get_user_data)(nghttp2_session *, int32_t);

static _Thread_local int tapped_in;
static _Atomic(retriever_http2_closed_function) listener;
/// libcurl's own callback: the same for all its connections.
static _Atomic(on_stream_close) original;

void retriever_http2_tap_in(void) { tapped_in++; }
void retriever_http2_tap_out(void) { tapped_in--; }
void retriever_http2_on_close(retriever_http2_closed_function function) { atomic_store(&listener, function); }
bool retriever_http2_is_tapped(void) { return atomic_load(&original) != NULL; }

/// The next function of a name behind this one: nghttp2's. Run before `main`, so that no call needs to ask.
__attribute__((constructor)) static void find_next(void) {
  // The C standard knows no way from an object's pointer to a function's; POSIX does.
  *(void **)&next_set_on_stream_close =
      dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_stream_close_callback");
  *(void **)&next_submit_settings = dlsym(RTLD_NEXT, "nghttp2_submit_settings");
  *(void **)&next_set_local_window_size = dlsym(RTLD_NEXT, "nghttp2_session_set_local_window_size");
  *(void **)&next_get_remote_close = dlsym(RTLD_NEXT, "nghttp2_session_get_stream_remote_close");
  *(void **)&next_get_user_data = dlsym(RTLD_NEXT, "nghttp2_session_get_stream_user_data");
}

static int stream_closed(nghttp2_session *session, int32_t stream, uint32_t error_code, void *context) {
  on_stream_close next = atomic_load(&original);
  retriever_http2_closed_function function = atomic_load(&listener);
  if (tapped_in > 0 && function) {
    // The stream is still known here.
    bool saw_end = next_get_remote_close(session, stream) == 1;
    function(next_get_user_data(session, stream), saw_end, error_code);
    // RST_STREAM without an error and without an end is no end.
    if (error_code == NO_ERROR && !saw_end) error_code = INTERNAL_ERROR;
  }
  return next(session, stream, error_code, context);
}

void nghttp2_session_callbacks_set_on_stream_close_callback(
    nghttp2_session_callbacks *callbacks, on_stream_close function) {
  if (!next_set_on_stream_close) return;
  on_stream_close known = NULL;
  bool is_observed = tapped_in > 0 && function && next_get_remote_close && next_get_user_data &&
                     (atomic_compare_exchange_strong(&original, &known, function) || known == function);
  next_set_on_stream_close(callbacks, is_observed ? stream_closed : function);
}

int nghttp2_submit_settings(
    nghttp2_session *session, uint8_t flags, const nghttp2_settings_entry *entries, size_t count) {
  if (!next_submit_settings) return -1;
  if (tapped_in == 0 || !entries || count > MOST_SETTINGS) {
    return next_submit_settings(session, flags, entries, count);
  }
  nghttp2_settings_entry bounded[MOST_SETTINGS];
  memcpy(bounded, entries, count * sizeof *entries);
  for (size_t index = 0; index < count; index++) {
    if (bounded[index].settings_id == SETTINGS_INITIAL_WINDOW_SIZE &&
        bounded[index].value > retriever_http2_stream_window) {
      bounded[index].value = retriever_http2_stream_window;
    }
  }
  return next_submit_settings(session, flags, bounded, count);
}

int nghttp2_session_set_local_window_size(nghttp2_session *session, uint8_t flags, int32_t stream, int32_t size) {
  if (!next_set_local_window_size) return -1;
  // Stream 0 is the connection, which its streams share.
  bool is_bounded = tapped_in > 0 && stream != 0 && size > retriever_http2_stream_window;
  return next_set_local_window_size(session, flags, stream, is_bounded ? retriever_http2_stream_window : size);
}
