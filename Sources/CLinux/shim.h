#pragma once
// The headers that Glibc's Swift module leaves out: epoll and eventfd.
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>
#include <sys/prctl.h>

// prctl is variadic, and Swift cannot call variadic functions.
static inline void retriever_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
