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
  /// Slot numbers have 16 bits.
  maximum_slots = 1 << 16,
  pool_count = 2,
};

/// Buffers of one size.
struct pool {
  const size_t taken_bytes;
  /// A multiple of the page size (4 KiB), with some room to shift a buffer.
  const size_t slot_bytes;
  /// Reserved address space costs nothing. If more transfers than this run at the same time, the others use malloc.
  const uint32_t slots;
  const uint32_t slots_per_batch;
  /// The number of idle buffers that keep their pages, for the next responses.
  const uint32_t warm_slots;

  /// Written once, before any other function here is called.
  char *reserved;

  // Protected by the lock.
  uint32_t opened_count, used_count, idle_count;
  uint16_t *idle;
};

static uint16_t idle_short[maximum_slots];
static uint16_t idle_stream[maximum_slots / 16];

static struct pool pools[pool_count] = {
    {.taken_bytes = retriever_receive_bytes + 1,
     .slot_bytes = retriever_receive_bytes + page_bytes,
     .slots = maximum_slots,
     .slots_per_batch = 64,
     .warm_slots = 256,
     .idle = idle_short},
    {.taken_bytes = retriever_stream_receive_bytes + 1,
     .slot_bytes = retriever_stream_receive_bytes + page_bytes,
     .slots = maximum_slots / 16,
     .slots_per_batch = 16,
     .warm_slots = 64,
     .idle = idle_stream},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(maximum_slots - 1 <= UINT16_MAX, "a slot's number fits");

static size_t reserved_bytes(const struct pool *pool) { return pool->slot_bytes * pool->slots; }

void retriever_memory_prepare(void) {
  for (int index = 0; index < pool_count; index++) {
    struct pool *pool = &pools[index];
    // With larger pages, two slots would share a page: returning the pages of one would erase the other.
    if (pool->slot_bytes % sysconf(_SC_PAGESIZE) != 0) return;
    void *memory =
        mmap(NULL, reserved_bytes(pool), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    // Where the system uses huge pages by default, the first byte of one buffer would allocate a hundred others.
    madvise(memory, reserved_bytes(pool), MADV_NOHUGEPAGE);
    pool->reserved = memory;
  }
}

/// Returns NULL for memory of the C library.
static struct pool *pool_of(const void *memory) {
  for (int index = 0; index < pool_count; index++) {
    struct pool *pool = &pools[index];
    if (pool->reserved && (uintptr_t)memory - (uintptr_t)pool->reserved < reserved_bytes(pool)) return pool;
  }
  return NULL;
}

bool retriever_memory_is_pooled(const void *memory) { return pool_of(memory) != NULL; }

static char *slot_start(const struct pool *pool, uint32_t slot) {
  return pool->reserved + (size_t)slot * pool->slot_bytes;
}

/// If every buffer began at the first byte of a page, they would compete for the same lines of the processor's caches.
static size_t shift_of(const struct pool *pool, uint32_t slot) {
  return slot % ((pool->slot_bytes - pool->taken_bytes) / cache_line) * cache_line;
}

/// Requires the lock. Returns false if the system refuses, or if all slots are open.
static bool open_more(struct pool *pool) {
  if (pool->opened_count == pool->slots) return false;
  size_t count = pool->slot_bytes * pool->slots_per_batch;
  if (mprotect(slot_start(pool, pool->opened_count), count, PROT_READ | PROT_WRITE) != 0) return false;
  pool->opened_count += pool->slots_per_batch;
  return true;
}

static void *take_slot(struct pool *pool) {
  if (!pool->reserved) return NULL;
  pthread_mutex_lock(&lock);
  bool has_slot = pool->idle_count > 0 || pool->used_count < pool->opened_count || open_more(pool);
  uint32_t slot = 0;
  if (has_slot) slot = pool->idle_count > 0 ? pool->idle[--pool->idle_count] : pool->used_count++;
  pthread_mutex_unlock(&lock);
  return has_slot ? slot_start(pool, slot) + shift_of(pool, slot) : NULL;
}

void *retriever_memory_allocate(size_t size) {
  for (int index = 0; index < pool_count; index++) {
    if (size != pools[index].taken_bytes) continue;
    void *memory = take_slot(&pools[index]);
    if (memory) return memory;
  }
  return malloc(size);
}

void retriever_memory_free(void *memory) {
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
  retriever_memory_free(memory);
  return moved;
}
