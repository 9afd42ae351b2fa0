// A preloaded library. The look-up of a name that starts with "stalled" takes eight seconds and finds nothing. Other
// look-ups do not change.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

typedef int Lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict result) {
  if (name && strncmp(name, "stalled", strlen("stalled")) == 0) {
    struct timespec left = {.tv_sec = 8};
    while (nanosleep(&left, &left) != 0) {}
    return EAI_AGAIN;
  }
  Lookup *real = (Lookup *)dlsym(RTLD_NEXT, "getaddrinfo");
  return real ? real(name, service, hints, result) : EAI_SYSTEM;
}
