// Enters the sandbox, and tries what it must deny. Prints each attempt with its errno, or 0 if it succeeded.
import CImageSandbox
import Glibc

let entered = retriever_image_sandbox_enter(2, 64 << 20, 10)
guard entered == 0 else {
  print("enter \(entered)")
  exit(1)
}

func attempt(_ name: String, _ call: () -> Int) {
  let result = call()
  print(name, result < 0 ? errno : 0)
}

/// What another thread runs. A closure here would belong to the main thread, and the program would end.
@Sendable nonisolated func runNothing(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? { nil }

attempt("open") { Int(open("/etc/passwd", O_RDONLY)) }
attempt("create") { Int(open("/tmp/retriever-sandbox-trial", O_WRONLY | O_CREAT, 0o600)) }
attempt("socket") { Int(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)) }
attempt("socketpair") {
  var pair: [Int32] = [0, 0]
  return Int(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair))
}
attempt("dup") { Int(dup(1)) }
attempt("signal") { Int(kill(getppid(), 0)) }
attempt("remove") { Int(unlink("/tmp/retriever-sandbox-trial")) }
attempt("execute") {
  var process: pid_t = 0
  var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
  let error = posix_spawn(&process, "/bin/true", nil, nil, &arguments, nil)
  errno = error
  return error == 0 ? 0 : -1
}
attempt("code") {
  let page = mmap(nil, 4_096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  return page == MAP_FAILED ? -1 : 0
}
attempt("limits") {
  var limits = rlimit(rlim_cur: 1 << 40, rlim_max: 1 << 40)
  return Int(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limits))
}
attempt("much memory") { malloc(80 << 20) == nil ? -1 : 0 }
attempt("little memory") { malloc(16 << 20) == nil ? -1 : 0 }
attempt("thread") {
  var thread = pthread_t()
  let error = pthread_create(&thread, nil, runNothing, nil)
  errno = error
  return error == 0 ? 0 : -1
}
fflush(nil)
_exit(0)
