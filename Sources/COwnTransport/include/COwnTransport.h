// What the transport of our own needs of OpenSSL and nghttp2.
//
// The functions of both libraries are looked up at run time, like those of TransferEngine's OpenSSL: their headers need
// not be installed, and a program whose libcurl uses other libraries works without them.
#ifndef RETRIEVER_OWN_TRANSPORT_H
#define RETRIEVER_OWN_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: TLS

/// Whether OpenSSL 1.1 or later is loaded.
bool own_tls_is_available(void);

/// Makes a context (`SSL_CTX *`) for clients, or returns NULL if there is no memory. The versions are numbers as in the
/// handshake.
void *own_tls_make_context(int minimum_version, int maximum_version);
void own_tls_free_context(void *context);

/// Makes a connection (`SSL *`) over a socket, or returns NULL if there is no memory. The protocols are in the format of
/// ALPN. Writing never raises SIGPIPE.
void *own_tls_make(void *context, int socket, const char *host, bool host_is_address, bool verifies,
    const uint8_t *protocols, unsigned protocols_length);
/// Frees a connection. If it announces its end, the server gets close_notify, as far as the socket takes it.
void own_tls_free(void *tls, bool announces_end);

enum {
    own_tls_wants_read = 0,
    own_tls_wants_write = -1,
    own_tls_ended = -2,
    own_tls_failed = -3,
};
/// Continues the handshake. Returns 1 if it is done, or one of the numbers above.
int own_tls_handshake(void *tls);
/// Reads decrypted bytes. Returns their number, or one of the numbers above.
long own_tls_read(void *tls, void *bytes, size_t count);
/// Writes bytes. Returns the number of those taken, or one of the numbers above.
long own_tls_write(void *tls, const void *bytes, size_t count);
/// Whether bytes were received that have not been read.
bool own_tls_has_pending(void *tls);

/// The reason for which a certificate was rejected; 0 if it was not.
long own_tls_verification(void *tls);
bool own_tls_selected_http2(void *tls);
/// Copies OpenSSL's text about the last failure of this thread, and forgets it.
void own_tls_take_error(char *text, size_t capacity);

/// Returns a session that makes a later handshake shorter; NULL if there is none.
void *own_tls_take_session(void *tls);
void own_tls_use_session(void *tls, void *session);
void own_tls_free_session(void *session);

// MARK: HTTP/2

/// Whether nghttp2 is loaded.
bool own_http2_is_available(void);

enum {
    own_http2_body_waits = -1,
    own_http2_body_failed = -2,
};

/// What a connection reports. Each function gets the context of its session.
typedef struct {
    void (*begins_headers)(void *context, int32_t stream);
    void (*field)(void *context, int32_t stream, const uint8_t *name, size_t name_length, const uint8_t *value,
        size_t value_length);
    void (*frame)(void *context, int32_t stream, uint8_t type, uint8_t flags);
    void (*data)(void *context, int32_t stream, const uint8_t *bytes, size_t count);
    void (*closed)(void *context, int32_t stream, uint32_t error_code);
    /// Fills a buffer with bytes of a request's body. Returns their number, or one of the negative numbers above.
    long (*body)(void *context, int32_t stream, uint8_t *bytes, size_t count, bool *is_end);
} own_http2_listener;

/// A header field of a request. nghttp2 copies it.
typedef struct {
    const uint8_t *name;
    const uint8_t *value;
    size_t name_length;
    size_t value_length;
    uint8_t flags;
} own_http2_field;

/// Makes the client's side of a connection, or returns NULL if there is no memory. The listener must stay.
void *own_http2_make(const own_http2_listener *listener, void *context, int32_t stream_window, int32_t connection_window);
void own_http2_free(void *session);
enum { own_http2_no_stream_left = -509 };
/// Starts a request. Returns its stream, or a negative number: the one above if all numbers of streams were used.
int32_t own_http2_request(void *session, const own_http2_field *fields, size_t count, bool has_body);
void own_http2_reset(void *session, int32_t stream, uint32_t error_code);
void own_http2_resume_body(void *session, int32_t stream);
/// Returns the bytes to send next, valid until the next call; 0 if there are none.
long own_http2_output(void *session, const uint8_t **bytes);
/// Takes received bytes. A negative number means that the connection is unusable.
long own_http2_input(void *session, const uint8_t *bytes, size_t count);
/// Allows the server to send more on a stream, or on the connection.
void own_http2_consume_stream(void *session, int32_t stream, size_t count);
void own_http2_consume_connection(void *session, size_t count);
/// Whether a request waits until the server allows another stream.
bool own_http2_is_unsent(void *session, int32_t stream);
/// Allows the server to send so many bytes of a stream before they are consumed.
void own_http2_widen(void *session, int32_t stream, int32_t window);
/// Whether anything that the server sends is still of interest.
bool own_http2_wants_input(void *session);
/// The number of streams that the server allows.
uint32_t own_http2_maximum_streams(void *session);

#endif
