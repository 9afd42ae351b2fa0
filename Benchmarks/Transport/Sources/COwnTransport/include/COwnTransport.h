// What Swift needs of OpenSSL and nghttp2 for the prototype of a transport: macros as functions, and a connection whose
// writes cannot raise SIGPIPE.
#ifndef OWN_TRANSPORT_H
#define OWN_TRANSPORT_H

#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

/// Makes a context for clients, or returns NULL if there is no memory. The versions are numbers as in the handshake.
SSL_CTX *own_transport_context(int minimum_version, int maximum_version);

/// Makes a connection over a socket, or returns NULL if there is no memory. The protocols are in the format of ALPN.
SSL *own_transport_connection(SSL_CTX *context, int socket, const char *host, int host_is_address, int verifies,
    const unsigned char *protocols, unsigned protocols_length);

#endif
