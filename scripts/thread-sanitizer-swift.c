// Reports the synchronization in Swift's libraries, which are not built with ThreadSanitizer, to ThreadSanitizer. Only
// test runs under ThreadSanitizer load this.
//
// - ThreadSanitizer sees Synchronization.Mutex where it is inlined. But when threads contend for a mutex, the code
//   calls libswiftSynchronization, and each such call would look like a race. The functions below wrap these calls.
//   They report that the work of the last owner happened before the work of the next one.
// - The runtime can report the order that tasks and continuations create, but on Linux it does not know that
//   ThreadSanitizer is present.
// - The runtime reports nothing if a continuation is resumed before its task waits for it. So the thread that resumes a
//   continuation is delayed until the task waits.
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

// Defined in the test program, but not in the tools that start it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void *function_in(void *libraries, const char *name) {
  void *function = dlsym(libraries, name);
  if (!function) {
    fprintf(stderr, "thread-sanitizer-swift: this version of Swift has no function %s\n", name);
    abort();
  }
  return function;
}

static void *(*current_task)(void);

// The offsets, in Swift 6.3, of a task's continuation context, and of the state in it that shows whether the task
// waits.
enum { context_of_task = 0x40, status_of_context = 0x18, status_awaited = 1, longest_wait_us = 20000 };

static void wait_until_awaited(const char *task) {
  const char *context = *(const char *const volatile *)(task + context_of_task);
  for (int waited = 0; waited < longest_wait_us; waited += 20) {
    if (__atomic_load_n((const size_t *)(context + status_of_context), __ATOMIC_ACQUIRE) == status_awaited) return;
    usleep(20);
  }
}

// The address ranges of the three functions that resume a continuation. They are found once, because the runtime
// reports a release at every metadata look-up.
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
  // A task that resumes itself is ordered already: do not wait for it.
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
