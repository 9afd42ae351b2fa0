#pragma once
#include <stdbool.h>
#include <stddef.h>

// The memory libcurl works in. All of it is the C library's but for receive buffers: each transfer holds one from its
// beginning, and of ten thousand that wait hardly one has touched its own. Between other memory, each would still cost
// a page, for its two ends share pages with what is beside them. Here they have pages of their own, which the system
// gives when a response comes, and takes back when many buffers lie idle.

/// How many bytes a receive buffer holds for libcurl, which takes one more: of a usual transfer, and of one over HTTP/2
/// with a libcurl that keeps a stream's head and body in it.
enum { retriever_receive_bytes = 16 << 10, retriever_stream_receive_bytes = 256 << 10 };

/// To be called once, before the functions below. Without it, where the system refuses, or where its pages are not of
/// 4 KiB, all memory is the C library's.
void retriever_memory_prepare(void);

// What `curl_global_init_mem` asks for, beside the C library's `calloc` and `strdup`.
void *retriever_memory_take(size_t size);
void retriever_memory_give(void *memory);
void *retriever_memory_resize(void *memory, size_t size);

/// Whether this is a receive buffer with pages of its own.
bool retriever_memory_is_apart(const void *memory);
