import Foundation
import Glibc

/// Test host names under `.test` whose look-ups behave as their names say. A small library that is loaded before the C
/// library answers `getaddrinfo` for them. It can also make thread creation fail.
///
/// | Name | Answer |
/// |---|---|
/// | `slow-8000.test`, `slow-8000-again.test` | 127.0.0.1 after 8,000 milliseconds |
/// | `fails.test` | not found |
/// | `fails-500.test` | not found, after 500 milliseconds |
/// | `changes.test` | 127.0.0.2 the first time, 127.0.0.1 afterwards; scripted servers only listen on the second |
/// | `many.test` | 127.0.0.3 and 127.0.0.1 |
/// | any other | 127.0.0.1 |
public final class TestHostNames: Sendable {
  /// A call of `getaddrinfo`.
  public struct Question: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The number of look-ups in progress when this one began, including itself.
    public var concurrency: Int
  }

  private static let made = Result { try TestHostNames() }
  private static let logVariable = "RETRIEVER_TEST_NAMES_LOG"

  private let directory: TemporaryDirectory
  private let library: String

  /// Returns the library of this process, which is compiled on first use.
  public static func shared() throws -> TestHostNames { try made.get() }

  /// Whether this process was started with the library.
  public static var areLoaded: Bool { getenv(logVariable) != nil }

  /// Returns the environment variables that start a program with the library.
  ///
  /// - Parameter log: A file to which the library adds a line for each look-up.
  public func environment(log: String) -> [String: String] {
    let loaded = ProcessInfo.processInfo.environment["LD_PRELOAD"].map { "\($0):" } ?? ""
    return ["LD_PRELOAD": loaded + library, Self.logVariable: log]
  }

  /// Returns the look-ups so far of this process and the programs it started.
  public static func questions() -> [Question] {
    guard let path = ProcessInfo.processInfo.environment[logVariable],
      let text = try? String(contentsOfFile: path, encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let concurrency = Int(words[1]) else { return nil }
      return Question(name: String(words[0]), concurrency: concurrency)
    }
  }

  /// Makes the creation of new threads in this process fail as if the system had none left, or succeed again.
  ///
  /// - Returns: Whether the process was started with the library.
  public static func setThreadsFail(_ fail: Bool) -> Bool {
    typealias Set = @convention(c) (Int32) -> Void
    guard let symbol = dlsym(nil, "retriever_test_set_threads_fail") else { return false }
    unsafeBitCast(symbol, to: Set.self)(fail ? 1 : 0)
    return true
  }

  private init() throws {
    directory = try TemporaryDirectory()
    library = directory.path("made-up-names.so")
    let source = try directory.write(Data(Self.source.utf8), to: "made-up-names.c")
    let compiler = try Self.compiler()
    try ChildProcess.run(
      [compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", library, source.path])
  }

  /// Returns the path of the system's compiler, or of the Swift toolchain's compiler.
  private static func compiler() throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let toolchains = folders.compactMap { folder -> String? in
      let swift = URL(fileURLWithPath: "\(folder)/swift")
      guard FileManager.default.isExecutableFile(atPath: swift.path) else { return nil }
      return swift.resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("clang").path
    }
    let candidates = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"] + toolchains
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw TestSupportError("No C compiler found. Install gcc, or add the Swift toolchain's folder to PATH.")
    }
    return found
  }

  private static let source = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <netdb.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>
    #include <unistd.h>

    typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);

    static atomic_int in_progress;

    static void record(const char *name, int concurrency) {
      const char *path = getenv("RETRIEVER_TEST_NAMES_LOG");
      int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
      if (file < 0) return;
      char line[300];
      int length = snprintf(line, sizeof line, "%.255s %d\n", name, concurrency);
      if (write(file, line, (size_t)length) < 0) perror("made-up names");
      close(file);
    }

    // Whether this is the first look-up, in any process with this log.
    static int is_first(void) {
      const char *path = getenv("RETRIEVER_TEST_NAMES_LOG");
      char mark[4096];
      snprintf(mark, sizeof mark, "%s.changed", path ? path : "/dev/null");
      int file = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (file >= 0) close(file);
      return file >= 0;
    }

    static void pause_for(long milliseconds) {
      struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
      while (nanosleep(&left, &left) != 0) {}
    }

    static int answer(lookup *real, const char *name, const char *service, const struct addrinfo *hints,
                      struct addrinfo **result) {
      if (strncmp(name, "slow-", 5) == 0) pause_for(atol(name + 5));
      if (strncmp(name, "fails", 5) == 0) {
        if (name[5] == '-') pause_for(atol(name + 6));
        return EAI_NONAME;
      }
      const char *address = "127.0.0.1";
      if (strcmp(name, "changes.test") == 0 && is_first()) address = "127.0.0.2";
      if (strcmp(name, "many.test") != 0) return real(address, service, hints, result);
      // The list is freed node by node, so two lists can be joined.
      struct addrinfo *rest = NULL;
      int code = real("127.0.0.3", service, hints, result);
      if (code != 0) return code;
      code = real(address, service, hints, &rest);
      if (code != 0) return code;
      struct addrinfo *last = *result;
      while (last->ai_next) last = last->ai_next;
      last->ai_next = rest;
      return 0;
    }

    int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
      lookup *real = (lookup *)dlsym(RTLD_NEXT, "getaddrinfo");
      size_t length = name ? strlen(name) : 0;
      if (length < 5 || strcmp(name + length - 5, ".test") != 0) return real(name, service, hints, result);
      record(name, atomic_fetch_add(&in_progress, 1) + 1);
      int code = answer(real, name, service, hints, result);
      atomic_fetch_sub(&in_progress, 1);
      return code;
    }

    static atomic_int threads_fail;

    void retriever_test_set_threads_fail(int fail) { atomic_store(&threads_fail, fail); }

    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
      create *real = (create *)dlsym(RTLD_NEXT, "pthread_create");
      return atomic_load(&threads_fail) ? EAGAIN : real(thread, attributes, body, argument);
    }
    """#
}
