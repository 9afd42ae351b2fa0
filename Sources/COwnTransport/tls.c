// RTLD_DEFAULT is a GNU extension.
#define _GNU_SOURCE
#include "COwnTransport.h"
#include "functions.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

// The parts of OpenSSL's binary interface used here, as its manual documents them. They exist since OpenSSL 1.1.

typedef struct ssl_st SSL;
typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_session_st SSL_SESSION;
typedef struct bio_st BIO;
typedef struct bio_method_st BIO_METHOD;

enum {
    CONTROL_READ_AHEAD = 41,
    CONTROL_SESSION_CACHE_MODE = 44,
    CONTROL_MODE = 33,
    CONTROL_HOST_NAME = 55,
    CONTROL_MINIMUM_VERSION = 123,
    CONTROL_MAXIMUM_VERSION = 124,
    // SSL_MODE_ENABLE_PARTIAL_WRITE, ACCEPT_MOVING_WRITE_BUFFER and RELEASE_BUFFERS.
    MODE = 0x01 | 0x02 | 0x10,
    // SSL_SESS_CACHE_CLIENT and NO_INTERNAL.
    CACHE_MODE = 0x0001 | 0x0300,
    ERROR_WANTS_READ = 2,
    ERROR_WANTS_WRITE = 3,
    ERROR_ENDED = 6,
    BIO_SOURCE_AND_SINK = 0x0400,
    BIO_FLUSH = 11,
    BIO_FLAG_READ = 0x01,
    BIO_FLAG_WRITE = 0x02,
    BIO_FLAG_RETRY = 0x08,
    BIO_RETRY_FLAGS = 0x01 | 0x02 | 0x04 | 0x08,
    SENT_SHUTDOWN = 1,
    // X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS and NEVER_CHECK_SUBJECT: a star stands for a complete label, and only subject
    // alternative names count (RFC 9525, 6.3).
    NAME_RULES = 0x4 | 0x20,
    // SSL_OP_NO_RENEGOTIATION.
    OPTIONS = 1 << 30,
    READ_BUFFER = 64 << 10,
};

#define FUNCTIONS(F)                                                                                                  \
    F(SSL_CTX *, SSL_CTX_new, (const void *))                                                                         \
    F(const void *, TLS_client_method, (void))                                                                        \
    F(void, SSL_CTX_free, (SSL_CTX *))                                                                                \
    F(uint64_t, SSL_CTX_set_options, (SSL_CTX *, uint64_t))                                                           \
    F(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *))                                                             \
    F(void, SSL_CTX_set_default_read_buffer_len, (SSL_CTX *, size_t))                                                 \
    F(SSL *, SSL_new, (SSL_CTX *))                                                                                    \
    F(void, SSL_free, (SSL *))                                                                                        \
    F(long, SSL_ctrl, (SSL *, int, long, void *))                                                                     \
    F(void, SSL_set_bio, (SSL *, BIO *, BIO *))                                                                       \
    F(void, SSL_set_connect_state, (SSL *))                                                                           \
    F(void *, SSL_get0_param, (SSL *))                                                                                \
    F(int, X509_VERIFY_PARAM_set1_ip_asc, (void *, const char *))                                                     \
    F(void, SSL_set_hostflags, (SSL *, unsigned))                                                                     \
    F(int, SSL_set1_host, (SSL *, const char *))                                                                      \
    F(int, SSL_set_alpn_protos, (SSL *, const unsigned char *, unsigned))                                             \
    F(int, SSL_do_handshake, (SSL *))                                                                                 \
    F(int, SSL_get_error, (const SSL *, int))                                                                         \
    F(int, SSL_read, (SSL *, void *, int))                                                                            \
    F(int, SSL_write, (SSL *, const void *, int))                                                                     \
    F(int, SSL_has_pending, (const SSL *))                                                                            \
    F(int, SSL_shutdown, (SSL *))                                                                                     \
    F(void, SSL_set_shutdown, (SSL *, int))                                                                           \
    F(long, SSL_get_verify_result, (const SSL *))                                                                     \
    F(void, SSL_get0_alpn_selected, (const SSL *, const unsigned char **, unsigned *))                                \
    F(SSL_SESSION *, SSL_get1_session, (SSL *))                                                                       \
    F(int, SSL_set_session, (SSL *, SSL_SESSION *))                                                                   \
    F(void, SSL_SESSION_free, (SSL_SESSION *))                                                                        \
    F(int, SSL_SESSION_is_resumable, (const SSL_SESSION *))                                                           \
    F(unsigned long, ERR_get_error, (void))                                                                           \
    F(void, ERR_error_string_n, (unsigned long, char *, size_t))                                                      \
    F(void, ERR_clear_error, (void))                                                                                  \
    F(int, BIO_get_new_index, (void))                                                                                 \
    F(BIO_METHOD *, BIO_meth_new, (int, const char *))                                                                \
    F(int, BIO_meth_set_write, (BIO_METHOD *, int (*)(BIO *, const char *, int)))                                     \
    F(int, BIO_meth_set_read, (BIO_METHOD *, int (*)(BIO *, char *, int)))                                            \
    F(int, BIO_meth_set_ctrl, (BIO_METHOD *, long (*)(BIO *, int, long, void *)))                                     \
    F(int, BIO_meth_set_create, (BIO_METHOD *, int (*)(BIO *)))                                                       \
    F(BIO *, BIO_new, (const BIO_METHOD *))                                                                           \
    F(void, BIO_set_data, (BIO *, void *))                                                                            \
    F(void *, BIO_get_data, (BIO *))                                                                                  \
    F(void, BIO_set_init, (BIO *, int))                                                                               \
    F(void, BIO_set_flags, (BIO *, int))                                                                              \
    F(void, BIO_clear_flags, (BIO *, int))

#define LIBRARIES RTLD_DEFAULT
FUNCTIONS(DECLARE)

static bool is_available;
static BIO_METHOD *socket_method;

static int bio_write(BIO *bio, const char *bytes, int length) {
    int socket = (int)(intptr_t)p_BIO_get_data(bio);
    p_BIO_clear_flags(bio, BIO_RETRY_FLAGS);
    ssize_t count = send(socket, bytes, (size_t)length, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) p_BIO_set_flags(bio, BIO_FLAG_WRITE | BIO_FLAG_RETRY);
    return (int)count;
}

static int bio_read(BIO *bio, char *bytes, int length) {
    int socket = (int)(intptr_t)p_BIO_get_data(bio);
    p_BIO_clear_flags(bio, BIO_RETRY_FLAGS);
    ssize_t count = recv(socket, bytes, (size_t)length, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) p_BIO_set_flags(bio, BIO_FLAG_READ | BIO_FLAG_RETRY);
    return (int)count;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_FLUSH;
}

static int bio_create(BIO *bio) {
    p_BIO_set_init(bio, 1);
    return 1;
}

static void find_functions(void) {
    FUNCTIONS(FIND)
    socket_method = p_BIO_meth_new(BIO_SOURCE_AND_SINK | p_BIO_get_new_index(), "socket");
    if (!socket_method) return;
    p_BIO_meth_set_write(socket_method, bio_write);
    p_BIO_meth_set_read(socket_method, bio_read);
    p_BIO_meth_set_ctrl(socket_method, bio_control);
    p_BIO_meth_set_create(socket_method, bio_create);
    is_available = true;
}

bool own_tls_is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_functions);
    return is_available;
}

void *own_tls_make_context(int minimum_version, int maximum_version) {
    if (!own_tls_is_available()) return NULL;
    SSL_CTX *context = p_SSL_CTX_new(p_TLS_client_method());
    if (!context) return NULL;
    p_SSL_CTX_ctrl(context, CONTROL_MINIMUM_VERSION, minimum_version, NULL);
    p_SSL_CTX_ctrl(context, CONTROL_MAXIMUM_VERSION, maximum_version, NULL);
    p_SSL_CTX_ctrl(context, CONTROL_MODE, MODE, NULL);
    p_SSL_CTX_set_options(context, OPTIONS);
    p_SSL_CTX_ctrl(context, CONTROL_SESSION_CACHE_MODE, CACHE_MODE, NULL);
    // One read of the socket serves for several records.
    p_SSL_CTX_ctrl(context, CONTROL_READ_AHEAD, 1, NULL);
    p_SSL_CTX_set_default_read_buffer_len(context, READ_BUFFER);
    return context;
}

void own_tls_free_context(void *context) {
    if (context) p_SSL_CTX_free(context);
}

void *own_tls_make(void *context, int socket, const char *host, bool host_is_address, bool verifies,
    const uint8_t *protocols, unsigned protocols_length) {
    SSL *ssl = p_SSL_new(context);
    BIO *bio = ssl ? p_BIO_new(socket_method) : NULL;
    if (!bio) {
        if (ssl) p_SSL_free(ssl);
        return NULL;
    }
    p_BIO_set_data(bio, (void *)(intptr_t)socket);
    p_SSL_set_bio(ssl, bio, bio);
    p_SSL_set_connect_state(ssl);
    bool is_ready = host_is_address || p_SSL_ctrl(ssl, CONTROL_HOST_NAME, 0, (void *)host) == 1;
    if (is_ready && verifies) {
        p_SSL_set_hostflags(ssl, NAME_RULES);
        is_ready = host_is_address ? p_X509_VERIFY_PARAM_set1_ip_asc(p_SSL_get0_param(ssl), host) == 1
                                   : p_SSL_set1_host(ssl, host) == 1;
    }
    // Zero means success here.
    if (is_ready && p_SSL_set_alpn_protos(ssl, protocols, protocols_length) == 0) return ssl;
    p_SSL_free(ssl);
    return NULL;
}

void own_tls_free(void *tls, bool announces_end) {
    if (announces_end) {
        p_SSL_shutdown(tls);
    } else {
        // OpenSSL would forget the session of a connection that ends otherwise.
        p_SSL_set_shutdown(tls, SENT_SHUTDOWN);
    }
    p_ERR_clear_error();
    p_SSL_free(tls);
}

static int outcome(SSL *tls, int result) {
    switch (p_SSL_get_error(tls, result)) {
    case ERROR_WANTS_READ: return own_tls_wants_read;
    case ERROR_WANTS_WRITE: return own_tls_wants_write;
    case ERROR_ENDED: return own_tls_ended;
    default: return own_tls_failed;
    }
}

int own_tls_handshake(void *tls) {
    p_ERR_clear_error();
    int result = p_SSL_do_handshake(tls);
    return result == 1 ? 1 : outcome(tls, result);
}

long own_tls_read(void *tls, void *bytes, size_t count) {
    // SSL_get_error needs an empty queue, and the thread may be the program's.
    p_ERR_clear_error();
    int result = p_SSL_read(tls, bytes, count > INT32_MAX ? INT32_MAX : (int)count);
    return result > 0 ? result : outcome(tls, result);
}

long own_tls_write(void *tls, const void *bytes, size_t count) {
    p_ERR_clear_error();
    int result = p_SSL_write(tls, bytes, count > INT32_MAX ? INT32_MAX : (int)count);
    return result > 0 ? result : outcome(tls, result);
}

bool own_tls_has_pending(void *tls) { return p_SSL_has_pending(tls); }

long own_tls_verification(void *tls) { return p_SSL_get_verify_result(tls); }

bool own_tls_selected_http2(void *tls) {
    const unsigned char *name = NULL;
    unsigned length = 0;
    p_SSL_get0_alpn_selected(tls, &name, &length);
    return length == 2 && name[0] == 'h' && name[1] == '2';
}

void own_tls_take_error(char *text, size_t capacity) {
    unsigned long code = p_ERR_get_error();
    if (code) {
        p_ERR_error_string_n(code, text, capacity);
    } else if (capacity > 0) {
        text[0] = 0;
    }
    p_ERR_clear_error();
}

void *own_tls_take_session(void *tls) {
    SSL_SESSION *session = p_SSL_get1_session(tls);
    if (!session || p_SSL_SESSION_is_resumable(session) == 1) return session;
    p_SSL_SESSION_free(session);
    return NULL;
}

void own_tls_use_session(void *tls, void *session) { p_SSL_set_session(tls, session); }

void own_tls_free_session(void *session) {
    if (session) p_SSL_SESSION_free(session);
}
