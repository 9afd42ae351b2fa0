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
/// What each frame begins with.
typedef struct {
  size_t length;
  int32_t stream;
  uint8_t type;
  uint8_t flags;
  uint8_t reserved;
} nghttp2_frame_hd;
typedef int (*on_frame_recv)(nghttp2_session *, const nghttp2_frame_hd *frame, void *context);
typedef int (*on_header)(
    nghttp2_session *, const nghttp2_frame_hd *frame, const uint8_t *name, size_t name_size, const uint8_t *value,
    size_t value_size, uint8_t flags, void *context);
typedef int (*on_data_chunk_recv)(
    nghttp2_session *, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context);
typedef int (*on_stream_close)(nghttp2_session *, int32_t stream, uint32_t error_code, void *context);

enum {
  TYPE_DATA = 0,
  TYPE_HEADERS = 1,
  FLAG_END_STREAM = 1,
  SETTINGS_INITIAL_WINDOW_SIZE = 4,
  NO_ERROR = 0,
  INTERNAL_ERROR = 2,
  MOST_SETTINGS = 16,
};

void nghttp2_session_callbacks_set_on_frame_recv_callback(nghttp2_session_callbacks *, on_frame_recv);

void nghttp2_session_callbacks_set_on_header_callback(nghttp2_session_callbacks *, on_header);
void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(nghttp2_session_callbacks *, on_data_chunk_recv);
void nghttp2_session_callbacks_set_on_stream_close_callback(nghttp2_session_callbacks *, on_stream_close);
int nghttp2_submit_settings(
    nghttp2_session *, uint8_t flags, const nghttp2_settings_entry *entries, size_t count);
int nghttp2_session_set_local_window_size(nghttp2_session *, uint8_t flags, int32_t stream, int32_t size);
int nghttp2_session_send(nghttp2_session *);
void *nghttp2_session_get_stream_user_data(nghttp2_session *, int32_t stream);

static void (*next_set_on_frame_recv)(nghttp2_session_callbacks *, on_frame_recv);
static void (*next_set_on_header)(nghttp2_session_callbacks *, on_header);
static void (*next_set_on_data_chunk_recv)(nghttp2_session_callbacks *, on_data_chunk_recv);
static void (*next_set_on_stream_close)(nghttp2_session_callbacks *, on_stream_close);
static int (*next_submit_settings)(nghttp2_session *, uint8_t, const nghttp2_settings_entry *, size_t);
static int (*next_set_local_window_size)(nghttp2_session *, uint8_t, int32_t, int32_t);
static int (*next_send)(nghttp2_session *);
static int (*next_want_read)(nghttp2_session *);
static uint32_t (*next_get_next_stream)(nghttp2_session *);
static int (*next_get_remote_close)(nghttp2_session *, int32_t);
static void *(*next_get_user_data)(nghttp2_session *, int32_t);

static _Thread_local int tapped_in;
/// The bytes that libcurl makes of the head that is arriving: its fields follow each other without a gap.
static _Thread_local size_t head_bytes;
/// The stream that libcurl is being told of although nghttp2 may have forgotten it.
static _Thread_local retriever_http2_stream told_stream;
static _Thread_local void *told_request;
// Written once, before any thread taps in.
static retriever_http2_listener listener;
// libcurl's own callbacks: the same for all its connections.
static _Atomic(on_frame_recv) original_on_frame_recv;
static _Atomic(on_header) original_on_header;
static _Atomic(on_data_chunk_recv) original_on_data_chunk_recv;
static _Atomic(on_stream_close) original_on_stream_close;

void retriever_http2_tap_in(void) { tapped_in++; }
void retriever_http2_tap_out(void) { tapped_in--; }
bool retriever_http2_is_tapped(void) {
  return atomic_load(&original_on_frame_recv) && atomic_load(&original_on_header) &&
         atomic_load(&original_on_data_chunk_recv) && atomic_load(&original_on_stream_close);
}

void retriever_http2_listen(const retriever_http2_listener *new_listener) { listener = *new_listener; }

/// The next function of a name behind this one: nghttp2's. Run before `main`, so that no call needs to ask.
__attribute__((constructor)) static void find_next(void) {
  // The C standard knows no way from an object's pointer to a function's; POSIX does.
  *(void **)&next_set_on_frame_recv =
      dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_frame_recv_callback");
  *(void **)&next_set_on_header = dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_header_callback");
  *(void **)&next_set_on_data_chunk_recv =
      dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_data_chunk_recv_callback");
  *(void **)&next_set_on_stream_close =
      dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_stream_close_callback");
  *(void **)&next_submit_settings = dlsym(RTLD_NEXT, "nghttp2_submit_settings");
  *(void **)&next_set_local_window_size = dlsym(RTLD_NEXT, "nghttp2_session_set_local_window_size");
  *(void **)&next_send = dlsym(RTLD_NEXT, "nghttp2_session_send");
  *(void **)&next_want_read = dlsym(RTLD_NEXT, "nghttp2_session_want_read");
  *(void **)&next_get_next_stream = dlsym(RTLD_NEXT, "nghttp2_session_get_next_stream_id");
  *(void **)&next_get_remote_close = dlsym(RTLD_NEXT, "nghttp2_session_get_stream_remote_close");
  *(void **)&next_get_user_data = dlsym(RTLD_NEXT, "nghttp2_session_get_stream_user_data");
}

static bool is_listening(void) { return tapped_in > 0 && listener.data; }

static int frame_received(nghttp2_session *session, const nghttp2_frame_hd *frame, void *context) {
  bool is_message = frame->type == TYPE_DATA || frame->type == TYPE_HEADERS;
  if (is_message && is_listening()) {
    void *request = next_get_user_data(session, frame->stream);
    if (frame->type == TYPE_HEADERS) listener.head(request, head_bytes);
    if (frame->flags & FLAG_END_STREAM) listener.ended(request);
  }
  if (frame->type == TYPE_HEADERS) head_bytes = 0;
  return atomic_load(&original_on_frame_recv)(session, frame, context);
}

/// libcurl makes "HTTP/2 200 \r\n" of the status, "name: value\r\n" of a field, and puts "\r\n" after the last one.
static int field_received(
    nghttp2_session *session, const nghttp2_frame_hd *frame, const uint8_t *name, size_t name_size,
    const uint8_t *value, size_t value_size, uint8_t flags, void *context) {
  bool is_first = name_size > 0 && name[0] == ':';
  head_bytes = is_first ? sizeof "HTTP/2  \r\n\r\n" - 1 + value_size : head_bytes + name_size + value_size + 4;
  return atomic_load(&original_on_header)(
      session, frame, name, name_size, value, value_size, flags, context);
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
    retriever_http2_stream place = {.session = session, .context = context, .number = stream};
    switch (listener.closed(next_get_user_data(session, stream), place, error_code)) {
    case retriever_http2_end_passes: break;
    case retriever_http2_end_waits: return 0;
    // RST_STREAM without an error and without an end is no end.
    case retriever_http2_end_is_cut:
      if (error_code == NO_ERROR) error_code = INTERNAL_ERROR;
      break;
    }
  }
  return atomic_load(&original_on_stream_close)(session, stream, error_code, context);
}

void retriever_http2_give(
    retriever_http2_stream stream, void *request, const uint8_t *bytes, size_t count) {
  told_stream = stream;
  told_request = request;
  atomic_load(&original_on_data_chunk_recv)(stream.session, 0, stream.number, bytes, count, stream.context);
  told_request = NULL;
}

void retriever_http2_close(retriever_http2_stream stream, void *request, uint32_t error_code) {
  told_stream = stream;
  told_request = request;
  atomic_load(&original_on_stream_close)(stream.session, stream.number, error_code, stream.context);
  told_request = NULL;
}

void retriever_http2_shut_window(retriever_http2_stream stream) {
  if (next_set_local_window_size) next_set_local_window_size(stream.session, 0, stream.number, 0);
}

/// libcurl asks for the request of a stream it hears of.
void *nghttp2_session_get_stream_user_data(nghttp2_session *session, int32_t stream) {
  if (told_request && told_stream.session == session && told_stream.number == stream) return told_request;
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

void nghttp2_session_callbacks_set_on_header_callback(nghttp2_session_callbacks *callbacks, on_header function) {
  if (!next_set_on_header) return;
  on_header known = NULL;
  bool is_observed =
      tapped_in > 0 && function &&
      (atomic_compare_exchange_strong(&original_on_header, &known, function) || known == function);
  next_set_on_header(callbacks, is_observed ? field_received : function);
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

/// nghttp2 has given the connection up because the server broke the protocol. It closes no stream then, and libcurl
/// goes on waiting for them, or takes the end of the connection for theirs.
static void report_broken(nghttp2_session *session) {
  if (!next_get_next_stream || !next_get_remote_close || !next_get_user_data) return;
  uint32_t end = next_get_next_stream(session);
  for (uint32_t stream = 1; stream < end && stream <= INT32_MAX; stream += 2) {
    // -1 says that there is no such stream any more.
    if (next_get_remote_close(session, (int32_t)stream) != 0) continue;
    void *request = next_get_user_data(session, (int32_t)stream);
    retriever_http2_stream place = {.session = session, .number = (int32_t)stream};
    if (request) listener.closed(request, place, retriever_http2_connection_broke);
  }
}

/// What goes out last when the protocol was broken is GOAWAY; from then on nothing is read.
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
