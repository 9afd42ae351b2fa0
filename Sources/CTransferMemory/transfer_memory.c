#include "CTransferMemory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  page_bytes = 4 << 10,
  cache_line = 64,
  /// Numbers of slots have 16 bits.
  most_slots = 1 << 16,
  pool_count = 2,
};

/// Buffers of one size.
struct pool {
  const size_t taken_bytes;
  /// Whole pages where a page is 4 KiB, with some room to shift a buffer.
  const size_t slot_bytes;
  /// Room that is only reserved costs nothing; more transfers than this at once take their buffers elsewhere.
  const uint32_t slots;
  const uint32_t slots_opened_at_once;
  /// So many idle buffers keep their pages, for the next responses.
  const uint32_t warm_slots;

  /// Written once, before anything else here is called.
  char *reserved;

  // Under the lock.
  uint32_t opened_count, used_count, idle_count;
  uint16_t *idle;
};

static uint16_t idle_short[most_slots];
static uint16_t idle_stream[most_slots / 16];

static struct pool pools[pool_count] = {
    {.taken_bytes = retriever_receive_bytes + 1,
     .slot_bytes = retriever_receive_bytes + page_bytes,
     .slots = most_slots,
     .slots_opened_at_once = 64,
     .warm_slots = 256,
     .idle = idle_short},
    {.taken_bytes = retriever_stream_receive_bytes + 1,
     .slot_bytes = retriever_stream_receive_bytes + page_bytes,
     .slots = most_slots / 16,
     .slots_opened_at_once = 16,
     .warm_slots = 64,
     .idle = idle_stream},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(most_slots - 1 <= UINT16_MAX, "a slot's number fits");

static size_t reserved_bytes(const struct pool *pool) { return pool->slot_bytes * pool->slots; }

void retriever_memory_prepare(void) {
  for (int index = 0; index < pool_count; index++) {
    struct pool *pool = &pools[index];
    // On larger pages neighbours would share one: giving the pages of the one back would wipe out the other.
    if (pool->slot_bytes % sysconf(_SC_PAGESIZE) != 0) return;
    void *memory =
        mmap(NULL, reserved_bytes(pool), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    // Where the system gives huge pages unasked, the first byte of one buffer would bring a hundred others in.
    madvise(memory, reserved_bytes(pool), MADV_NOHUGEPAGE);
    pool->reserved = memory;
  }
}

/// Nil for the C library's memory.
static struct pool *pool_of(const void *memory) {
  for (int index = 0; index < pool_count; index++) {
    struct pool *pool = &pools[index];
    if (pool->reserved && (uintptr_t)memory - (uintptr_t)pool->reserved < reserved_bytes(pool)) return pool;
  }
  return NULL;
}

bool retriever_memory_is_apart(const void *memory) { return pool_of(memory) != NULL; }

static char *slot_start(const struct pool *pool, uint32_t slot) {
  return pool->reserved + (size_t)slot * pool->slot_bytes;
}

/// Buffers that all began at a page's first byte would compete for the same lines of the processor's caches.
static size_t shift_of(const struct pool *pool, uint32_t slot) {
  return slot % ((pool->slot_bytes - pool->taken_bytes) / cache_line) * cache_line;
}

/// With the lock held. False when the system gives no more.
static bool open_more(struct pool *pool) {
  if (pool->opened_count == pool->slots) return false;
  size_t count = pool->slot_bytes * pool->slots_opened_at_once;
  if (mprotect(slot_start(pool, pool->opened_count), count, PROT_READ | PROT_WRITE) != 0) return false;
  pool->opened_count += pool->slots_opened_at_once;
  return true;
}

static void *take(struct pool *pool) {
  if (!pool->reserved) return NULL;
  pthread_mutex_lock(&lock);
  bool is_there = pool->idle_count > 0 || pool->used_count < pool->opened_count || open_more(pool);
  uint32_t slot = 0;
  if (is_there) slot = pool->idle_count > 0 ? pool->idle[--pool->idle_count] : pool->used_count++;
  pthread_mutex_unlock(&lock);
  return is_there ? slot_start(pool, slot) + shift_of(pool, slot) : NULL;
}

void *retriever_memory_take(size_t size) {
  for (int index = 0; index < pool_count; index++) {
    if (size != pools[index].taken_bytes) continue;
    void *memory = take(&pools[index]);
    if (memory) return memory;
  }
  return malloc(size);
}

void retriever_memory_give(void *memory) {
  struct pool *pool = pool_of(memory);
  if (!pool) {
    free(memory);
    return;
  }
  uint32_t slot = (uint32_t)(((uintptr_t)memory - (uintptr_t)pool->reserved) / pool->slot_bytes);
  pthread_mutex_lock(&lock);
  bool stays_warm = pool->idle_count < pool->warm_slots;
  if (!stays_warm) {
    pthread_mutex_unlock(&lock);
    madvise(slot_start(pool, slot), pool->slot_bytes, MADV_DONTNEED);
    pthread_mutex_lock(&lock);
  }
  pool->idle[pool->idle_count++] = (uint16_t)slot;
  pthread_mutex_unlock(&lock);
}

void *retriever_memory_resize(void *memory, size_t size) {
  struct pool *pool = pool_of(memory);
  if (!pool) return realloc(memory, size);
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, memory, size < pool->taken_bytes ? size : pool->taken_bytes);
  retriever_memory_give(memory);
  return moved;
}
