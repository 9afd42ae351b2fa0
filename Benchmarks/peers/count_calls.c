// A preloaded library that counts calls of a program: of Swift's runtime, of the memory allocator, and of functions that
// lock. At the end, it appends the counts to the file in CALL_COUNTS, as one line of JSON. Calls that a library makes
// to its own functions are not seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static atomic_ulong retains, releases, accesses, allocations, frees, locks;

static void add(atomic_ulong *count) { atomic_fetch_add_explicit(count, 1, memory_order_relaxed); }

// Returns the function that the library hides. `cache` is the caller's.
static void *next(void **cache, const char *name) {
  void *known = __atomic_load_n(cache, __ATOMIC_RELAXED);
  if (known) return known;
  known = dlsym(RTLD_NEXT, name);
  __atomic_store_n(cache, known, __ATOMIC_RELAXED);
  return known;
}

#define COUNT(COUNTER, RESULT, NAME, PARAMETERS, ARGUMENTS)                                                  \
  RESULT NAME PARAMETERS {                                                                                   \
    static void *cache;                                                                                      \
    add(&COUNTER);                                                                                           \
    return ((RESULT(*) PARAMETERS)next(&cache, #NAME))ARGUMENTS;                                             \
  }

COUNT(retains, void *, swift_retain, (void *object), (object))
COUNT(retains, void *, swift_retain_n, (void *object, uint32_t count), (object, count))
COUNT(retains, void *, swift_bridgeObjectRetain, (void *object), (object))
COUNT(releases, void, swift_release, (void *object), (object))
COUNT(releases, void, swift_release_n, (void *object, uint32_t count), (object, count))
COUNT(releases, void, swift_bridgeObjectRelease, (void *object), (object))
COUNT(accesses, void, swift_beginAccess, (void *at, void *buffer, uintptr_t flags, void *pc), (at, buffer, flags, pc))
COUNT(locks, int, pthread_mutex_lock, (pthread_mutex_t *mutex), (mutex))
COUNT(locks, int, pthread_mutex_trylock, (pthread_mutex_t *mutex), (mutex))
COUNT(locks, int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock))
COUNT(locks, int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock))

// glibc's own names, because dlsym allocates memory itself.
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
  add(&allocations);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  add(&allocations);
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  add(&allocations);
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  add(&allocations);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  add(&allocations);
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}

void free(void *memory) {
  if (memory) add(&frees);
  __libc_free(memory);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("CALL_COUNTS");
  FILE *file = path ? fopen(path, "ae") : NULL;
  if (!file) return;
  fprintf(
      file, "{\"retains\":%lu,\"releases\":%lu,\"accesses\":%lu,\"allocations\":%lu,\"frees\":%lu,\"locks\":%lu}\n",
      retains, releases, accesses, allocations, frees, locks);
  fclose(file);
}
