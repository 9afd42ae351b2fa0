#include "COwnTransport.h"

#include <errno.h>
#include <sys/socket.h>

static int bio_write(BIO *bio, const char *bytes, int length) {
    int socket = (int)(intptr_t)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t count = send(socket, bytes, (size_t)length, MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return (int)count;
}

static int bio_read(BIO *bio, char *bytes, int length) {
    int socket = (int)(intptr_t)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    ssize_t count = recv(socket, bytes, (size_t)length, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
    return (int)count;
}

static long bio_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static int bio_create(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}

static BIO_METHOD *method(void) {
    // Contexts are made under the lock of a loop, but there are several loops. A method that two threads make at the
    // same time is made twice, and one of the two is never freed.
    static _Atomic(BIO_METHOD *) known;
    BIO_METHOD *method = known;
    if (method) return method;
    method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "socket");
    if (!method) return NULL;
    BIO_meth_set_write(method, bio_write);
    BIO_meth_set_read(method, bio_read);
    BIO_meth_set_ctrl(method, bio_control);
    BIO_meth_set_create(method, bio_create);
    known = method;
    return method;
}

SSL_CTX *own_transport_context(int minimum_version, int maximum_version) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context) return NULL;
    SSL_CTX_set_min_proto_version(context, minimum_version);
    SSL_CTX_set_max_proto_version(context, maximum_version);
    SSL_CTX_set_mode(context,
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    // One read of the socket serves for several records.
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, 64 << 10);
    return context;
}

SSL *own_transport_connection(SSL_CTX *context, int socket, const char *host, int host_is_address, int verifies,
    const unsigned char *protocols, unsigned protocols_length) {
    BIO_METHOD *socket_method = method();
    SSL *ssl = socket_method ? SSL_new(context) : NULL;
    BIO *bio = ssl ? BIO_new(socket_method) : NULL;
    if (!bio) {
        SSL_free(ssl);
        return NULL;
    }
    BIO_set_data(bio, (void *)(intptr_t)socket);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_connect_state(ssl);
    if (!host_is_address) SSL_set_tlsext_host_name(ssl, host);
    if (verifies) {
        if (host_is_address) {
            X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host);
        } else {
            SSL_set1_host(ssl, host);
        }
    }
    SSL_set_alpn_protos(ssl, protocols, protocols_length);
    return ssl;
}
