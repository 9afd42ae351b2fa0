// RTLD_NEXT is a GNU extension.
#define _GNU_SOURCE
#include "CHTTP2Tap.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

// The parts of nghttp2's binary interface used here, as its manual documents them. nghttp2's header need not be
// installed, and a program whose libcurl does not use nghttp2 does not need nghttp2 either.

typedef struct nghttp2_session nghttp2_session;
typedef struct nghttp2_session_callbacks nghttp2_session_callbacks;
typedef struct {
  int32_t settings_id;
  uint32_t value;
} nghttp2_settings_entry;
/// The header of every frame.
typedef struct {
  size_t length;
  int32_t stream;
  uint8_t type;
  uint8_t flags;
  uint8_t reserved;
} nghttp2_frame_hd;
typedef struct {
  nghttp2_frame_hd hd;
  uint32_t error_code;
} nghttp2_rst_stream;
typedef int (*on_frame_recv)(nghttp2_session *, const nghttp2_frame_hd *frame, void *context);
typedef int (*on_data_chunk_recv)(
    nghttp2_session *, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context);
typedef int (*on_stream_close)(nghttp2_session *, int32_t stream, uint32_t error_code, void *context);

enum {
  TYPE_DATA = 0,
  TYPE_HEADERS = 1,
  TYPE_RST_STREAM = 3,
  FLAG_END_STREAM = 1,
  SETTINGS_INITIAL_WINDOW_SIZE = 4,
  MAXIMUM_SETTINGS = 16,
};

void nghttp2_session_callbacks_set_on_frame_recv_callback(nghttp2_session_callbacks *, on_frame_recv);

void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(nghttp2_session_callbacks *, on_data_chunk_recv);
void nghttp2_session_callbacks_set_on_stream_close_callback(nghttp2_session_callbacks *, on_stream_close);
int nghttp2_submit_settings(
    nghttp2_session *, uint8_t flags, const nghttp2_settings_entry *entries, size_t count);
int nghttp2_session_set_local_window_size(nghttp2_session *, uint8_t flags, int32_t stream, int32_t size);
int nghttp2_submit_window_update(nghttp2_session *, uint8_t flags, int32_t stream, int32_t increment);
int nghttp2_session_send(nghttp2_session *);
void *nghttp2_session_get_stream_user_data(nghttp2_session *, int32_t stream);

static void (*next_set_on_frame_recv)(nghttp2_session_callbacks *, on_frame_recv);
static void (*next_set_on_data_chunk_recv)(nghttp2_session_callbacks *, on_data_chunk_recv);
static void (*next_set_on_stream_close)(nghttp2_session_callbacks *, on_stream_close);
static int (*next_submit_settings)(nghttp2_session *, uint8_t, const nghttp2_settings_entry *, size_t);
static int (*next_set_local_window_size)(nghttp2_session *, uint8_t, int32_t, int32_t);
static int (*next_submit_window_update)(nghttp2_session *, uint8_t, int32_t, int32_t);
static int (*next_consume_stream)(nghttp2_session *, int32_t, size_t);
static int (*next_send)(nghttp2_session *);
static int (*next_want_read)(nghttp2_session *);
static uint32_t (*next_get_next_stream)(nghttp2_session *);
static int (*next_get_remote_close)(nghttp2_session *, int32_t);
static void *(*next_get_user_data)(nghttp2_session *, int32_t);

static _Thread_local int tapped_in;
/// The stream that is passed to libcurl although nghttp2 may have forgotten it, and its request.
static _Thread_local retriever_http2_stream resumed_stream;
static _Thread_local void *resumed_request;
// Written once, before any thread taps in.
static retriever_http2_listener listener;
// libcurl's own callbacks, which are the same for all its connections.
static _Atomic(on_frame_recv) original_on_frame_recv;
static _Atomic(on_data_chunk_recv) original_on_data_chunk_recv;
static _Atomic(on_stream_close) original_on_stream_close;

void retriever_http2_tap_in(void) { tapped_in++; }
void retriever_http2_tap_out(void) { tapped_in--; }
bool retriever_http2_is_tapped(void) {
  return atomic_load(&original_on_frame_recv) && atomic_load(&original_on_data_chunk_recv) &&
         atomic_load(&original_on_stream_close);
}

void retriever_http2_listen(const retriever_http2_listener *new_listener) { listener = *new_listener; }

/// Looks up nghttp2's functions: the next ones of the same names after these. Runs before `main`, so that no call needs
/// to check.
__attribute__((constructor)) static void find_next(void) {
  // The C standard has no conversion from an object pointer to a function pointer; POSIX has.
  *(void **)&next_set_on_frame_recv =
      dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_frame_recv_callback");
  *(void **)&next_set_on_data_chunk_recv =
      dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_data_chunk_recv_callback");
  *(void **)&next_set_on_stream_close =
      dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_stream_close_callback");
  *(void **)&next_submit_settings = dlsym(RTLD_NEXT, "nghttp2_submit_settings");
  *(void **)&next_set_local_window_size = dlsym(RTLD_NEXT, "nghttp2_session_set_local_window_size");
  *(void **)&next_submit_window_update = dlsym(RTLD_NEXT, "nghttp2_submit_window_update");
  *(void **)&next_consume_stream = dlsym(RTLD_NEXT, "nghttp2_session_consume_stream");
  *(void **)&next_send = dlsym(RTLD_NEXT, "nghttp2_session_send");
  *(void **)&next_want_read = dlsym(RTLD_NEXT, "nghttp2_session_want_read");
  *(void **)&next_get_next_stream = dlsym(RTLD_NEXT, "nghttp2_session_get_next_stream_id");
  *(void **)&next_get_remote_close = dlsym(RTLD_NEXT, "nghttp2_session_get_stream_remote_close");
  *(void **)&next_get_user_data = dlsym(RTLD_NEXT, "nghttp2_session_get_stream_user_data");
}

static bool is_listening(void) { return tapped_in > 0 && listener.data; }

static int frame_received(nghttp2_session *session, const nghttp2_frame_hd *frame, void *context) {
  if (is_listening() && frame->stream != 0) {
    if (frame->type == TYPE_HEADERS) listener.began(next_get_user_data(session, frame->stream));
    bool is_message = frame->type == TYPE_DATA || frame->type == TYPE_HEADERS;
    if (is_message && frame->flags & FLAG_END_STREAM) listener.ended(next_get_user_data(session, frame->stream));
    if (frame->type == TYPE_RST_STREAM) {
      uint32_t error_code = ((const nghttp2_rst_stream *)frame)->error_code;
      if (!listener.reset(next_get_user_data(session, frame->stream), error_code)) return 0;
    }
  }
  return atomic_load(&original_on_frame_recv)(session, frame, context);
}

static int data_received(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context) {
  size_t passed = count;
  if (is_listening()) {
    retriever_http2_stream place = {.session = session, .context = context, .number = stream};
    passed = listener.data(next_get_user_data(session, stream), place, bytes, count);
    if (passed == 0) return 0;
  }
  return atomic_load(&original_on_data_chunk_recv)(session, flags, stream, bytes, passed, context);
}

static int stream_closed(nghttp2_session *session, int32_t stream, uint32_t error_code, void *context) {
  if (is_listening()) {
    if (!listener.closed(next_get_user_data(session, stream), &error_code)) return 0;
  }
  return atomic_load(&original_on_stream_close)(session, stream, error_code, context);
}

void retriever_http2_give(
    retriever_http2_stream stream, void *request, const uint8_t *bytes, size_t count) {
  resumed_stream = stream;
  resumed_request = request;
  atomic_load(&original_on_data_chunk_recv)(stream.session, 0, stream.number, bytes, count, stream.context);
  resumed_request = NULL;
}

void retriever_http2_close(retriever_http2_stream stream, void *request, uint32_t error_code) {
  resumed_stream = stream;
  resumed_request = request;
  atomic_load(&original_on_stream_close)(stream.session, stream.number, error_code, stream.context);
  resumed_request = NULL;
}

void retriever_http2_shut_window(retriever_http2_stream stream) {
  if (next_set_local_window_size) next_set_local_window_size(stream.session, 0, stream.number, 0);
}

/// libcurl asks for the request of each stream that nghttp2 reports.
void *nghttp2_session_get_stream_user_data(nghttp2_session *session, int32_t stream) {
  if (resumed_request && resumed_stream.session == session && resumed_stream.number == stream) {
    return resumed_request;
  }
  return next_get_user_data ? next_get_user_data(session, stream) : NULL;
}

void nghttp2_session_callbacks_set_on_frame_recv_callback(
    nghttp2_session_callbacks *callbacks, on_frame_recv function) {
  if (!next_set_on_frame_recv) return;
  on_frame_recv known = NULL;
  bool is_observed =
      tapped_in > 0 && function && next_get_user_data &&
      (atomic_compare_exchange_strong(&original_on_frame_recv, &known, function) || known == function);
  next_set_on_frame_recv(callbacks, is_observed ? frame_received : function);
}

void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
    nghttp2_session_callbacks *callbacks, on_data_chunk_recv function) {
  if (!next_set_on_data_chunk_recv) return;
  on_data_chunk_recv known = NULL;
  bool is_observed =
      tapped_in > 0 && function && next_get_user_data &&
      (atomic_compare_exchange_strong(&original_on_data_chunk_recv, &known, function) || known == function);
  next_set_on_data_chunk_recv(callbacks, is_observed ? data_received : function);
}

void nghttp2_session_callbacks_set_on_stream_close_callback(
    nghttp2_session_callbacks *callbacks, on_stream_close function) {
  if (!next_set_on_stream_close) return;
  on_stream_close known = NULL;
  bool is_observed =
      tapped_in > 0 && function && next_get_user_data &&
      (atomic_compare_exchange_strong(&original_on_stream_close, &known, function) || known == function);
  next_set_on_stream_close(callbacks, is_observed ? stream_closed : function);
}

/// Reports every open stream after nghttp2 has abandoned the connection because the server violated the protocol.
/// nghttp2 closes no streams in this case. libcurl would keep waiting for them, or take the end of the connection for
/// the end of the streams.
static void report_broken(nghttp2_session *session) {
  if (!next_get_next_stream || !next_get_remote_close || !next_get_user_data) return;
  uint32_t end = next_get_next_stream(session);
  for (uint32_t stream = 1; stream < end && stream <= INT32_MAX; stream += 2) {
    // -1 means that the stream no longer exists.
    if (next_get_remote_close(session, (int32_t)stream) != 0) continue;
    void *request = next_get_user_data(session, (int32_t)stream);
    uint32_t code = retriever_http2_connection_broke;
    if (request) listener.closed(request, &code);
  }
}

/// After a protocol violation, nghttp2 sends GOAWAY and then reads nothing more.
int nghttp2_session_send(nghttp2_session *session) {
  if (!next_send) return -1;
  int result = next_send(session);
  if (is_listening() && retriever_http2_is_tapped() && next_want_read && !next_want_read(session)) {
    report_broken(session);
  }
  return result;
}

int nghttp2_submit_settings(
    nghttp2_session *session, uint8_t flags, const nghttp2_settings_entry *entries, size_t count) {
  if (!next_submit_settings) return -1;
  if (tapped_in == 0 || !entries || count > MAXIMUM_SETTINGS) {
    return next_submit_settings(session, flags, entries, count);
  }
  nghttp2_settings_entry bounded[MAXIMUM_SETTINGS];
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
  // Stream 0 is the connection's window, which all its streams share.
  if (tapped_in == 0 || stream == 0) return next_set_local_window_size(session, flags, stream, size);
  if (size > retriever_http2_stream_window) size = retriever_http2_stream_window;
  // libcurl opens the window at the end of every pause.
  if (is_listening() && listener.keeps(next_get_user_data(session, stream))) size = 0;
  return next_set_local_window_size(session, flags, stream, size);
}

/// libcurl 8 enlarges a stream's window a second time with this function, by up to 10 MiB, so that the server hears of it.
/// Here the window stays as large as it was set. WINDOW_UPDATE is sent only for bytes that libcurl has consumed.
///
/// A program has this function called in place of nghttp2's own only if it was linked against such a libcurl.
int nghttp2_submit_window_update(nghttp2_session *session, uint8_t flags, int32_t stream, int32_t increment) {
  if (!next_submit_window_update) return -1;
  if (tapped_in == 0 || stream == 0 || !next_consume_stream) {
    return next_submit_window_update(session, flags, stream, increment);
  }
  return next_consume_stream(session, stream, 0);
}
