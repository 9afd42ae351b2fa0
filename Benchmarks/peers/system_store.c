// A preloaded library. If a program opens the system's file of certificate authorities, it gets the file in
// SYSTEM_STORE instead, which has one more authority. So a client with its default trust store can connect to a server
// whose certificate the system does not trust.
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

typedef FILE *OpenStream(const char *, const char *);
typedef int OpenFile(const char *, int, ...);

#define OPEN_STREAM(NAME)                                                                                    \
  FILE *NAME(const char *restrict path, const char *restrict mode) {                                         \
    return ((OpenStream *)dlsym(RTLD_NEXT, #NAME))(chosen(path), mode);                                      \
  }

#define OPEN_FILE(NAME)                                                                                      \
  int NAME(const char *path, int flags, ...) {                                                               \
    mode_t mode = 0;                                                                                         \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                                   \
      va_list rest;                                                                                          \
      va_start(rest, flags);                                                                                 \
      mode = va_arg(rest, mode_t);                                                                           \
      va_end(rest);                                                                                          \
    }                                                                                                        \
    return ((OpenFile *)dlsym(RTLD_NEXT, #NAME))(chosen(path), flags, mode);                                 \
  }

OPEN_STREAM(fopen)
OPEN_STREAM(fopen64)
OPEN_FILE(open)
OPEN_FILE(open64)
