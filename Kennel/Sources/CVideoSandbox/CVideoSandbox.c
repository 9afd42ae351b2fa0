#define _GNU_SOURCE
#include "CVideoSandbox.h"

#include <errno.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
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
#define ALLOW_WITHOUT(name, index, bits)                                        \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), LOAD_ARGUMENT(index), \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), DENY(EPERM), RETURN(SECCOMP_RET_ALLOW)

// Allows a call if an argument is zero.
#define ALLOW_WITH_ZERO(name, index)                                            \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), LOAD_ARGUMENT(index), \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), DENY(EPERM), RETURN(SECCOMP_RET_ALLOW)

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

// Calls that are not in the list fail with EPERM, so that a library that tries one can go on without it. The loader needs
// more calls than a decoder: it opens libraries and makes their code executable. A program that is started keeps the filter.
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
    ALLOW(pread64),
    ALLOW(lseek),
    ALLOW(close),
    ALLOW(fstat),
    ALLOW(newfstatat),
    ALLOW(statx),
    // Copies and flags of descriptors; not the commands after F_SETFL, which send signals to other processes.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_fcntl, 0, 5),
    LOAD_ARGUMENT(1),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_DUPFD_CLOEXEC, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, F_SETFL, 1, 0),
    RETURN(SECCOMP_RET_ALLOW),
    DENY(EPERM),
    ALLOW(faccessat),
    ALLOW(faccessat2),
    ALLOW(readlinkat),
    ALLOW(getcwd),
    ALLOW_WITHOUT(openat, 2, WRITING),
#if defined(__x86_64__)
    ALLOW(stat),
    ALLOW(lstat),
    ALLOW(access),
    ALLOW(readlink),
    ALLOW(poll),
    ALLOW(select),
    ALLOW(arch_prctl),
    ALLOW_WITHOUT(open, 1, WRITING),
#endif
    ALLOW(ppoll),
    ALLOW(pselect6),
    ALLOW(execve),
    ALLOW(futex),
    ALLOW(mmap),
    ALLOW(mprotect),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(brk),
    ALLOW(clock_gettime),
    ALLOW(clock_getres),
    ALLOW(clock_nanosleep),
    ALLOW(nanosleep),
    ALLOW(gettimeofday),
    ALLOW(getrandom),
    ALLOW(getrlimit),
    ALLOW(getrusage),
    ALLOW(sysinfo),
    ALLOW(uname),
    ALLOW(sched_yield),
    ALLOW(sched_getaffinity),
    ALLOW(getpid),
    ALLOW(gettid),
    ALLOW(getuid),
    ALLOW(geteuid),
    ALLOW(getgid),
    ALLOW(getegid),
    ALLOW(set_tid_address),
    ALLOW(set_robust_list),
    ALLOW(rseq),
    // The limits of this process, not those of others.
    ALLOW_WITH_ZERO(prlimit64, 0),
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(sigaltstack),
    ALLOW(restart_syscall),
    ALLOW(exit),
    ALLOW(exit_group),
    // Threads of this process. The flags of clone3 cannot be checked, and the C library falls back to clone.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
    LOAD_ARGUMENT(0),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
    DENY(EPERM),
    RETURN(SECCOMP_RET_ALLOW),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
    DENY(ENOSYS),
    DENY(EPERM),
};

static int limit(int resource, rlim_t value) {
  struct rlimit limits = {value, value};
  return setrlimit(resource, &limits) == 0 ? 0 : errno;
}

// Landlock, as its header describes it. Debian's headers have it, but older ones do not.
#define LANDLOCK_EXECUTE (1ULL << 0)
#define LANDLOCK_READ_FILE (1ULL << 2)
#define LANDLOCK_READ_FOLDER (1ULL << 3)
#define LANDLOCK_ALL_OF_FIRST_VERSION ((1ULL << 13) - 1)
#define NR_LANDLOCK_CREATE 444
#define NR_LANDLOCK_ADD 445
#define NR_LANDLOCK_RESTRICT 446

struct landlock_rules {
  uint64_t handled;
};

struct landlock_path {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

static void allow_path(int rules, int file, uint64_t rights) {
  struct landlock_path path = {rights, file};
  if (file >= 0) syscall(NR_LANDLOCK_ADD, rules, 1, &path, 0);
}

bool kennel_video_sandbox_limits_files(void) { return syscall(NR_LANDLOCK_CREATE, NULL, 0, 1) > 0; }

/// Limits which files can be read. A kernel without Landlock leaves them readable, as far as their permissions allow.
static int restrict_files(const char *program) {
  struct landlock_rules all = {LANDLOCK_ALL_OF_FIRST_VERSION};
  int rules = (int)syscall(NR_LANDLOCK_CREATE, &all, sizeof all, 0);
  if (rules < 0) return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM ? 0 : errno;
  const char *folders[] = {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"};
  for (size_t index = 0; index < sizeof folders / sizeof *folders; index++) {
    int folder = open(folders[index], O_PATH | O_CLOEXEC);
    uint64_t rights = LANDLOCK_EXECUTE | LANDLOCK_READ_FILE;
    allow_path(rules, folder, index < 3 ? rights | LANDLOCK_READ_FOLDER : rights);
    if (folder >= 0) close(folder);
  }
  allow_path(rules, 0, LANDLOCK_READ_FILE);
  int file = open(program, O_PATH | O_CLOEXEC);
  allow_path(rules, file, LANDLOCK_EXECUTE | LANDLOCK_READ_FILE);
  if (file >= 0) close(file);
  int error = syscall(NR_LANDLOCK_RESTRICT, rules, 0) == 0 ? 0 : errno;
  close(rules);
  return error;
}

int kennel_video_sandbox_run(const char *program, char *const *arguments, size_t memory, unsigned seconds) {
  if (syscall(__NR_close_range, 3U, ~0U, 0) != 0) return errno;
  setpriority(PRIO_PROCESS, 0, 19);
  int error = limit(RLIMIT_AS, memory);
  if (!error) error = limit(RLIMIT_CPU, seconds);
  if (!error) error = limit(RLIMIT_CORE, 0);
  if (!error) error = limit(RLIMIT_FSIZE, 0);
  if (!error) error = limit(RLIMIT_NOFILE, 64);
  if (error) return error;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  error = restrict_files(program);
  if (error) return error;
  struct sock_fprog rules = {sizeof filter / sizeof *filter, filter};
  if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &rules) != 0) return errno;
  char *const variables[] = {NULL};
  execve(program, arguments, variables);
  return errno;
}

#else

bool kennel_video_sandbox_limits_files(void) { return false; }

int kennel_video_sandbox_run(const char *program, char *const *arguments, size_t memory, unsigned seconds) {
  (void)program;
  (void)arguments;
  (void)memory;
  (void)seconds;
  return ENOSYS;
}

#endif
