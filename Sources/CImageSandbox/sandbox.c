#define _GNU_SOURCE
#include "CImageSandbox.h"

#include <errno.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The lower half of an argument. Both architectures are little-endian.
#define LOAD_ARGUMENT(index) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (index))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define DENY(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)
// Allows a call unless an argument has one of these bits.
#define ALLOW_WITHOUT(name, index, bits)                                           \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), LOAD_ARGUMENT(index),    \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), DENY(EPERM), RETURN(SECCOMP_RET_ALLOW)

// Calls that are not in the list fail with EPERM, so that a library that tries one can go on without it.
static struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0),
    RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
#if defined(__x86_64__)
    // The numbers of the x32 interface.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    RETURN(SECCOMP_RET_KILL_PROCESS),
#endif
    ALLOW(read),
    ALLOW(write),
    ALLOW(readv),
    ALLOW(writev),
    ALLOW(futex),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(brk),
    ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
    ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
    ALLOW(clock_gettime),
    ALLOW(clock_nanosleep),
    ALLOW(nanosleep),
    ALLOW(gettimeofday),
    ALLOW(getrandom),
    ALLOW(sched_yield),
    ALLOW(sched_getaffinity),
    ALLOW(getpid),
    ALLOW(gettid),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(sigaltstack),
    ALLOW(restart_syscall),
    ALLOW(exit),
    ALLOW(exit_group),
    // Threads of this process, which decoders may use. The flags of clone3 cannot be checked, and the C library falls back
    // to clone.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
    LOAD_ARGUMENT(0),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
    DENY(EPERM),
    RETURN(SECCOMP_RET_ALLOW),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
    DENY(ENOSYS),
    ALLOW(set_robust_list),
    ALLOW(rseq),
    DENY(EPERM),
};

static int limit(int resource, rlim_t value) {
  struct rlimit limits = {value, value};
  return setrlimit(resource, &limits) == 0 ? 0 : errno;
}

/// Returns the size of the address space, or 0.
static size_t address_space(void) {
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64];
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  return strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/// Removes the handlers that print a backtrace: in the sandbox, they would wait for a program that cannot start.
static void reset_handlers(void) {
  const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP};
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) signal(signals[index], SIG_DFL);
}

int retriever_image_sandbox_enter(int last_descriptor, size_t memory, unsigned seconds) {
  reset_handlers();
  if (syscall(__NR_close_range, (unsigned)last_descriptor + 1, ~0U, 0) != 0) return errno;
  size_t own = address_space();
  size_t total = own + memory;
  if (own == 0 || total < own) return EOVERFLOW;
  int error = limit(RLIMIT_AS, total);
  if (!error) error = limit(RLIMIT_CPU, seconds);
  if (!error) error = limit(RLIMIT_CORE, 0);
  // No descriptor can be opened: the highest one is that of the socket.
  if (!error) error = limit(RLIMIT_NOFILE, (rlim_t)last_descriptor + 1);
  if (error) return error;
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  // TSYNC applies the filter to all threads.
  if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) return errno;
  return 0;
}

#else

int retriever_image_sandbox_enter(int last_descriptor, size_t memory, unsigned seconds) {
  (void)last_descriptor;
  (void)memory;
  (void)seconds;
  return ENOSYS;
}

#endif
