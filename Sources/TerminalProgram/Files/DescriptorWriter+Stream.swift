import Dispatch
import Glibc
import Synchronization

extension DescriptorWriter {
  /// Opens an output that must not be replaced by a new file.
  ///
  /// - Parameter waitsForReader: Whether to wait until a process reads from a named pipe. Without one, it is an error.
  /// - Returns: A writer; nil for a regular file.
  public static func stream(
    _ path: String, at place: OutputPlace, waitsForReader: Bool = true
  ) async throws(Failure) -> DescriptorWriter? {
    switch place {
    case .file: return nil
    case .descriptor(let number):
      // Duplicates the descriptor, so that closing the writer does not close the original.
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { throw .file("Could not write \(path)", errno) }
      return DescriptorWriter(copy, name: path, closes: true)
    case .stream where !waitsForReader:
      // A pipe stays in this mode, which the writer supports.
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
      guard descriptor >= 0 else {
        if errno == ENXIO { throw Failure(.fileSystem, "Could not write \(path): no process reads from it.") }
        throw .file("Could not write \(path)", errno)
      }
      return DescriptorWriter(descriptor, name: path, closes: true)
    case .stream:
      let descriptor = try await StreamOpening(path).run()
      return DescriptorWriter(descriptor, name: path, closes: true)
    }
  }
}

/// Opens a device or a pipe.
///
/// Opening a named pipe blocks until a reader opens it, possibly forever. The call therefore runs on its own dispatch
/// queue.
private final class StreamOpening: Sendable {
  private enum State {
    case waiting
    case cancelled(reader: Int32)
    case done
  }

  private let path: String
  private let state = Mutex(State.waiting)

  init(_ path: String) { self.path = path }

  func run() async throws(Failure) -> Int32 {
    let (descriptor, code) = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "terminal.opening").async {
          let descriptor = open(self.path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
          continuation.resume(returning: self.finish(descriptor, errno))
        }
      }
    } onCancel: {
      cancel()
    }
    guard descriptor >= 0 else { throw .file("Could not write \(path)", code) }
    return descriptor
  }

  private func finish(_ descriptor: Int32, _ code: Int32) -> (descriptor: Int32, code: Int32) {
    let reader: Int32? = state.withLock { state in
      defer { state = .done }
      if case .cancelled(let reader) = state { return reader }
      return nil
    }
    guard let reader else { return (descriptor, code) }
    if reader >= 0 { close(reader) }
    if descriptor >= 0 { close(descriptor) }
    return (-1, ECANCELED)
  }

  /// Opens the pipe for reading for a moment: the only way to make the blocked `open` return.
  private func cancel() {
    state.withLock { state in
      guard case .waiting = state else { return }
      var status = stat()
      let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
      state = .cancelled(reader: isPipe ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1)
    }
  }
}
