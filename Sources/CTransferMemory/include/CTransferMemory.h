#pragma once
#include <stdbool.h>
#include <stddef.h>

// The memory functions that libcurl uses. Everything but receive buffers comes from the C library. Each transfer holds
// a receive buffer from its start, and while ten thousand transfers wait, hardly any of them has used its buffer.
// Between other allocations, each buffer would still cost a page, because its two ends share pages with its neighbors.
// Here, receive buffers have their own pages. The system provides these pages when a response arrives, and reclaims
// them when many buffers are idle.

/// The sizes of receive buffers; libcurl allocates one byte more. Normal transfers use the first. HTTP/2 transfers use
/// the second with a libcurl version that keeps a stream's head and body in this buffer.
enum { retriever_receive_bytes = 16 << 10, retriever_stream_receive_bytes = 256 << 10 };

/// Reserves the memory. Call it once, before the functions below. All memory comes from the C library if it is not
/// called, if the system refuses, or if the page size is not 4 KiB.
void retriever_memory_prepare(void);

// The functions that `curl_global_init_mem` needs, in addition to the C library's `calloc` and `strdup`.
void *retriever_memory_allocate(size_t size);
void retriever_memory_free(void *memory);
void *retriever_memory_resize(void *memory, size_t size);

/// Whether the memory is a receive buffer with its own pages.
bool retriever_memory_is_pooled(const void *memory);
