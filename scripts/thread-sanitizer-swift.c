// Tells ThreadSanitizer what Swift's libraries do, which are not built with it. Only its test runs load this.
//
// - Synchronization.Mutex is inlined where it is used, and seen there, except when threads contend for it: then it
//   calls into libswiftSynchronization, and every such hand-over would look like a race. The functions below stand
//   in between and say that what the last owner did happened before what the next one does.
// - The runtime can announce what tasks and continuations order, but on Linux nobody tells it that
//   ThreadSanitizer is there.
// - And it announces nothing when a continuation is resumed before its task has come to wait for it. So whoever
//   resumes one is held, for a moment, until the task waits.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

// In the test program; absent in the tools that are started on the way to it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void *function_in(void *libraries, const char *name) {
  void *function = dlsym(libraries, name);
  if (!function) {
    fprintf(stderr, "thread-sanitizer-swift: this Swift has no %s\n", name);
    abort();
  }
  return function;
}

static void *(*current_task)(void);

// Where Swift 6.3 keeps a task's continuation, and in that whether the task waits for it yet.
enum { context_of_task = 0x40, status_of_context = 0x18, status_awaited = 1, longest_wait_us = 20000 };

static void wait_until_awaited(const char *task) {
  const char *context = *(const char *const volatile *)(task + context_of_task);
  for (int waited = 0; waited < longest_wait_us; waited += 20) {
    if (__atomic_load_n((const size_t *)(context + status_of_context), __ATOMIC_ACQUIRE) == status_awaited) return;
    usleep(20);
  }
}

// Where the code of the three functions stands that resume a continuation; looked up once, since the runtime
// announces a release at every metadata lookup.
static struct { const char *start, *end; } resumers[3];

static void find_resumers(void) {
  static const char *const names[] = {"swift_continuation_resume", "swift_continuation_throwingResume",
                                      "swift_continuation_throwingResumeWithError"};
  for (int index = 0; index < 3; index++) {
    const char *start = function_in(RTLD_DEFAULT, names[index]);
    Dl_info where;
    const ElfW(Sym) *symbol = NULL;
    if (!dladdr1(start, &where, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) abort();
    resumers[index].start = start;
    resumers[index].end = start + symbol->st_size;
  }
}

static bool is_in_resume(const char *code) {
  for (int index = 0; index < 3; index++) {
    if (code >= resumers[index].start && code < resumers[index].end) return true;
  }
  return false;
}

static void announce_release(void *address) {
  __tsan_release(address);
  // A task that resumes itself is not waited for: it is ordered already.
  if (is_in_resume(__builtin_return_address(0)) && current_task() != address) wait_until_awaited(address);
}

__attribute__((constructor)) static void tell_the_runtime(void) {
  if (!__tsan_acquire) return;
  void (*initialize)(void) = (void (*)(void))function_in(RTLD_DEFAULT, "__tsan_on_initialize");
  void (**release)(void *) = function_in(RTLD_DEFAULT, "_swift_tsan_release");
  current_task = (void *(*)(void))function_in(RTLD_DEFAULT, "swift_task_getCurrent");
  find_resumers();
  initialize();
  *release = announce_release;
}

// Synchronization._MutexHandle's _lockSlow(_: UInt32), _tryLockSlow() -> Bool and _unlockSlow().
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT_CALL void lock_slow(uint32_t owner, SWIFT_SELF void *mutex) __asm__(LOCK);
SWIFT_CALL void lock_slow(uint32_t owner, SWIFT_SELF void *mutex) {
  ((SWIFT_CALL void (*)(uint32_t, SWIFT_SELF void *))function_in(RTLD_NEXT, LOCK))(owner, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT_CALL bool try_lock_slow(SWIFT_SELF void *mutex) __asm__(TRY_LOCK);
SWIFT_CALL bool try_lock_slow(SWIFT_SELF void *mutex) {
  bool locked = ((SWIFT_CALL bool (*)(SWIFT_SELF void *))function_in(RTLD_NEXT, TRY_LOCK))(mutex);
  if (locked && __tsan_acquire) __tsan_acquire(mutex);
  return locked;
}

SWIFT_CALL void unlock_slow(SWIFT_SELF void *mutex) __asm__(UNLOCK);
SWIFT_CALL void unlock_slow(SWIFT_SELF void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  ((SWIFT_CALL void (*)(SWIFT_SELF void *))function_in(RTLD_NEXT, UNLOCK))(mutex);
}
