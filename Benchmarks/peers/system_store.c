// To be preloaded: a program that opens the system's file of certificate authorities gets the file that
// SYSTEM_STORE names, the same authorities and one more. So the default trust store of a client can be measured
// against a server with a certificate that the system does not know.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *chosen(const char *path) {
  const char *store = getenv("SYSTEM_STORE");
  return store && path && strcmp(path, "/etc/ssl/certs/ca-certificates.crt") == 0 ? store : path;
}

#define OPEN_STREAM(NAME)                                                                                    \
  FILE *NAME(const char *restrict path, const char *restrict mode) {                                         \
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, #NAME); \
    return real(chosen(path), mode);                                                                         \
  }

#define OPEN_FILE(NAME)                                                                                      \
  int NAME(const char *path, int flags, ...) {                                                               \
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #NAME);          \
    mode_t mode = 0;                                                                                         \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                                   \
      va_list rest;                                                                                          \
      va_start(rest, flags);                                                                                 \
      mode = va_arg(rest, mode_t);                                                                           \
      va_end(rest);                                                                                          \
    }                                                                                                        \
    return real(chosen(path), flags, mode);                                                                  \
  }

OPEN_STREAM(fopen)
OPEN_STREAM(fopen64)
OPEN_FILE(open)
OPEN_FILE(open64)
