#include "CTransferMemory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  taken_bytes = retriever_receive_bytes + 1,
  /// Whole pages where a page is 4 KiB.
  slot_bytes = 20 << 10,
  /// Room that is only reserved costs nothing; more transfers than this at once take their buffers elsewhere.
  most_slots = 1 << 16,
  slots_opened_at_once = 64,
  /// So many idle buffers keep their pages, for the next short responses.
  warm_slots = 256,
  cache_line = 64,
};

static const size_t reserved_bytes = (size_t)slot_bytes * most_slots;

/// Written once, before anything else here is called.
static char *reserved;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Under the lock.
static uint32_t opened_count, used_count, idle_count;
static uint16_t idle[most_slots];

_Static_assert(most_slots - 1 <= UINT16_MAX, "a slot's number fits");

void retriever_memory_prepare(void) {
  // On larger pages neighbours would share one: giving the pages of the one back would wipe out the other.
  if (slot_bytes % sysconf(_SC_PAGESIZE) != 0) return;
  void *memory = mmap(NULL, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  // Where the system gives huge pages unasked, the first byte of one buffer would bring a hundred others in.
  madvise(memory, reserved_bytes, MADV_NOHUGEPAGE);
  reserved = memory;
}

bool retriever_memory_is_apart(const void *memory) {
  return reserved && (uintptr_t)memory - (uintptr_t)reserved < reserved_bytes;
}

static char *slot_start(uint32_t slot) { return reserved + (size_t)slot * slot_bytes; }

/// Buffers that all began at a page's first byte would compete for the same lines of the processor's caches.
static size_t shift_of(uint32_t slot) {
  enum { shifts = (slot_bytes - taken_bytes) / cache_line };
  return slot % shifts * cache_line;
}

/// With the lock held. False when the system gives no more.
static bool open_more(void) {
  if (opened_count == most_slots) return false;
  size_t count = (size_t)slot_bytes * slots_opened_at_once;
  if (mprotect(slot_start(opened_count), count, PROT_READ | PROT_WRITE) != 0) return false;
  opened_count += slots_opened_at_once;
  return true;
}

void *retriever_memory_take(size_t size) {
  if (size != taken_bytes || !reserved) return malloc(size);
  pthread_mutex_lock(&lock);
  bool is_there = idle_count > 0 || used_count < opened_count || open_more();
  uint32_t slot = 0;
  if (is_there) slot = idle_count > 0 ? idle[--idle_count] : used_count++;
  pthread_mutex_unlock(&lock);
  return is_there ? slot_start(slot) + shift_of(slot) : malloc(size);
}

void retriever_memory_give(void *memory) {
  if (!retriever_memory_is_apart(memory)) {
    free(memory);
    return;
  }
  uint32_t slot = (uint32_t)(((uintptr_t)memory - (uintptr_t)reserved) / slot_bytes);
  pthread_mutex_lock(&lock);
  bool stays_warm = idle_count < warm_slots;
  if (!stays_warm) {
    pthread_mutex_unlock(&lock);
    madvise(slot_start(slot), slot_bytes, MADV_DONTNEED);
    pthread_mutex_lock(&lock);
  }
  idle[idle_count++] = (uint16_t)slot;
  pthread_mutex_unlock(&lock);
}

void *retriever_memory_resize(void *memory, size_t size) {
  if (!retriever_memory_is_apart(memory)) return realloc(memory, size);
  void *moved = malloc(size);
  if (!moved) return NULL;
  memcpy(moved, memory, size < taken_bytes ? size : taken_bytes);
  retriever_memory_give(memory);
  return moved;
}
