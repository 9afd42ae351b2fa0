// RTLD_NEXT is a GNU extension.
#define _GNU_SOURCE
#include "COwnTransport.h"
#include "functions.h"

#include <pthread.h>
#include <stdlib.h>

// The parts of nghttp2's binary interface used here, as its manual documents them.

typedef struct nghttp2_session nghttp2_session;
typedef struct nghttp2_option nghttp2_option;
typedef struct nghttp2_session_callbacks nghttp2_session_callbacks;
typedef struct {
    int32_t identifier;
    uint32_t value;
} settings_entry;
typedef struct {
    size_t length;
    int32_t stream;
    uint8_t type;
    uint8_t flags;
    uint8_t reserved;
} frame_header;
typedef ssize_t (*read_body)(
    nghttp2_session *, int32_t stream, uint8_t *, size_t, uint32_t *flags, void *source, void *context);
typedef struct {
    union {
        int descriptor;
        void *pointer;
    } source;
    read_body read;
} data_provider;

enum {
    SETTING_ENABLE_PUSH = 2,
    SETTING_MAXIMUM_STREAMS = 3,
    SETTING_INITIAL_WINDOW = 4,
    BODY_DEFERRED = -508,
    BODY_FAILED = -521,
    BODY_END = 1,
};

#define FUNCTIONS(F)                                                                                                  \
    F(int, nghttp2_option_new, (nghttp2_option **))                                                                   \
    F(void, nghttp2_option_del, (nghttp2_option *))                                                                   \
    F(void, nghttp2_option_set_no_auto_window_update, (nghttp2_option *, int))                                        \
    F(int, nghttp2_session_callbacks_new, (nghttp2_session_callbacks **))                                             \
    F(void, nghttp2_session_callbacks_set_on_begin_headers_callback,                                                  \
        (nghttp2_session_callbacks *, int (*)(nghttp2_session *, const frame_header *, void *)))                      \
    F(void, nghttp2_session_callbacks_set_on_header_callback,                                                         \
        (nghttp2_session_callbacks *, int (*)(nghttp2_session *, const frame_header *, const uint8_t *, size_t,       \
                                          const uint8_t *, size_t, uint8_t, void *)))                                 \
    F(void, nghttp2_session_callbacks_set_on_frame_recv_callback,                                                     \
        (nghttp2_session_callbacks *, int (*)(nghttp2_session *, const frame_header *, void *)))                      \
    F(void, nghttp2_session_callbacks_set_on_data_chunk_recv_callback,                                                \
        (nghttp2_session_callbacks *,                                                                                 \
            int (*)(nghttp2_session *, uint8_t, int32_t, const uint8_t *, size_t, void *)))                           \
    F(void, nghttp2_session_callbacks_set_on_stream_close_callback,                                                   \
        (nghttp2_session_callbacks *, int (*)(nghttp2_session *, int32_t, uint32_t, void *)))                         \
    F(int, nghttp2_session_client_new2,                                                                               \
        (nghttp2_session **, const nghttp2_session_callbacks *, void *, const nghttp2_option *))                      \
    F(void, nghttp2_session_del, (nghttp2_session *))                                                                 \
    F(int, nghttp2_submit_settings, (nghttp2_session *, uint8_t, const settings_entry *, size_t))                     \
    F(int, nghttp2_session_set_local_window_size, (nghttp2_session *, uint8_t, int32_t, int32_t))                     \
    F(int32_t, nghttp2_submit_request,                                                                                \
        (nghttp2_session *, const void *, const own_http2_field *, size_t, const data_provider *, void *))            \
    F(int, nghttp2_submit_rst_stream, (nghttp2_session *, uint8_t, int32_t, uint32_t))                                \
    F(int, nghttp2_session_resume_data, (nghttp2_session *, int32_t))                                                 \
    F(ssize_t, nghttp2_session_mem_send, (nghttp2_session *, const uint8_t **))                                       \
    F(ssize_t, nghttp2_session_mem_recv, (nghttp2_session *, const uint8_t *, size_t))                                \
    F(int, nghttp2_session_consume_stream, (nghttp2_session *, int32_t, size_t))                                      \
    F(int, nghttp2_session_consume_connection, (nghttp2_session *, size_t))                                           \
    F(int, nghttp2_session_want_read, (nghttp2_session *))                                                            \
    F(int, nghttp2_session_get_stream_remote_close, (nghttp2_session *, int32_t))                                     \
    F(uint32_t, nghttp2_session_get_remote_settings, (nghttp2_session *, int32_t))

// Behind this program: CHTTP2Tap replaces some of these functions for libcurl.
#define LIBRARIES RTLD_NEXT
FUNCTIONS(DECLARE)

struct session {
    nghttp2_session *session;
    const own_http2_listener *listener;
    void *context;
};

static nghttp2_session_callbacks *callbacks;

static int begins_headers(nghttp2_session *session, const frame_header *frame, void *user) {
    (void)session;
    struct session *own = user;
    own->listener->begins_headers(own->context, frame->stream);
    return 0;
}

static int header(nghttp2_session *session, const frame_header *frame, const uint8_t *name, size_t name_length,
    const uint8_t *value, size_t value_length, uint8_t flags, void *user) {
    (void)session, (void)flags;
    struct session *own = user;
    own->listener->field(own->context, frame->stream, name, name_length, value, value_length);
    return 0;
}

static int frame_received(nghttp2_session *session, const frame_header *frame, void *user) {
    (void)session;
    struct session *own = user;
    own->listener->frame(own->context, frame->stream, frame->type, frame->flags);
    return 0;
}

static int data_received(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *user) {
    (void)session, (void)flags;
    struct session *own = user;
    own->listener->data(own->context, stream, bytes, count);
    return 0;
}

static int stream_closed(nghttp2_session *session, int32_t stream, uint32_t error_code, void *user) {
    (void)session;
    struct session *own = user;
    own->listener->closed(own->context, stream, error_code);
    return 0;
}

static ssize_t reads_body(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t count, uint32_t *flags,
    void *source, void *user) {
    (void)session, (void)source;
    struct session *own = user;
    bool is_end = false;
    long result = own->listener->body(own->context, stream, bytes, count, &is_end);
    if (is_end) *flags |= BODY_END;
    if (result >= 0) return result;
    return result == own_http2_body_waits ? BODY_DEFERRED : BODY_FAILED;
}

static void find_functions(void) {
    FUNCTIONS(FIND)
    nghttp2_session_callbacks *made = NULL;
    if (p_nghttp2_session_callbacks_new(&made) != 0) return;
    p_nghttp2_session_callbacks_set_on_begin_headers_callback(made, begins_headers);
    p_nghttp2_session_callbacks_set_on_header_callback(made, header);
    p_nghttp2_session_callbacks_set_on_frame_recv_callback(made, frame_received);
    p_nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, data_received);
    p_nghttp2_session_callbacks_set_on_stream_close_callback(made, stream_closed);
    callbacks = made;
}

bool own_http2_is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_functions);
    return callbacks != NULL;
}

void *own_http2_make(
    const own_http2_listener *listener, void *context, int32_t stream_window, int32_t connection_window) {
    if (!own_http2_is_available()) return NULL;
    struct session *own = calloc(1, sizeof *own);
    nghttp2_option *option = NULL;
    if (!own || p_nghttp2_option_new(&option) != 0) {
        free(own);
        return NULL;
    }
    own->listener = listener;
    own->context = context;
    p_nghttp2_option_set_no_auto_window_update(option, 1);
    int code = p_nghttp2_session_client_new2(&own->session, callbacks, own, option);
    p_nghttp2_option_del(option);
    if (code != 0) {
        free(own);
        return NULL;
    }
    const settings_entry settings[] = {
        {SETTING_ENABLE_PUSH, 0},
        {SETTING_INITIAL_WINDOW, (uint32_t)stream_window},
    };
    p_nghttp2_submit_settings(own->session, 0, settings, sizeof settings / sizeof *settings);
    p_nghttp2_session_set_local_window_size(own->session, 0, 0, connection_window);
    return own;
}

void own_http2_free(void *session) {
    struct session *own = session;
    if (!own) return;
    p_nghttp2_session_del(own->session);
    free(own);
}

int32_t own_http2_request(void *session, const own_http2_field *fields, size_t count, bool has_body) {
    struct session *own = session;
    const data_provider provider = {.read = reads_body};
    return p_nghttp2_submit_request(own->session, NULL, fields, count, has_body ? &provider : NULL, NULL);
}

void own_http2_reset(void *session, int32_t stream, uint32_t error_code) {
    struct session *own = session;
    p_nghttp2_submit_rst_stream(own->session, 0, stream, error_code);
}

void own_http2_resume_body(void *session, int32_t stream) {
    struct session *own = session;
    p_nghttp2_session_resume_data(own->session, stream);
}

long own_http2_output(void *session, const uint8_t **bytes) {
    struct session *own = session;
    return p_nghttp2_session_mem_send(own->session, bytes);
}

long own_http2_input(void *session, const uint8_t *bytes, size_t count) {
    struct session *own = session;
    return p_nghttp2_session_mem_recv(own->session, bytes, count);
}

void own_http2_consume_stream(void *session, int32_t stream, size_t count) {
    struct session *own = session;
    p_nghttp2_session_consume_stream(own->session, stream, count);
}

void own_http2_consume_connection(void *session, size_t count) {
    struct session *own = session;
    p_nghttp2_session_consume_connection(own->session, count);
}

bool own_http2_wants_input(void *session) {
    struct session *own = session;
    return p_nghttp2_session_want_read(own->session) != 0;
}

uint32_t own_http2_maximum_streams(void *session) {
    struct session *own = session;
    return p_nghttp2_session_get_remote_settings(own->session, SETTING_MAXIMUM_STREAMS);
}

bool own_http2_is_unsent(void *session, int32_t stream) {
    struct session *own = session;
    // It is not known before its header block is sent.
    return p_nghttp2_session_get_stream_remote_close(own->session, stream) < 0;
}

void own_http2_widen(void *session, int32_t stream, int32_t window) {
    struct session *own = session;
    p_nghttp2_session_set_local_window_size(own->session, 0, stream, window);
}
