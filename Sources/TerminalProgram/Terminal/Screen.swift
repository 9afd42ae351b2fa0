import Dispatch
import Foundation
import Glibc
import Synchronization
import SystemFiles

/// Writes messages to standard error and, on a terminal, the progress below them.
public final class Screen: Sendable {
  private struct State: Sendable {
    var text = ScreenText()
    var frame: [String]?
  }

  /// Whether ``show(_:)`` draws: only on a terminal that can overwrite lines, and not in quiet mode.
  public let showsProgress: Bool
  /// Whether the locale in the environment uses UTF-8.
  public let usesUnicode: Bool
  private let descriptor: Int32
  private let isQuiet: Bool
  private let queue = DispatchQueue(label: "terminal.screen")
  private let state = Mutex(State())

  /// Creates a screen for a file descriptor, which stays open.
  ///
  /// - Parameter environment: The environment variables, for the type of the terminal and the locale.
  public init(_ descriptor: Int32, isQuiet: Bool, environment: [String: String]) {
    self.descriptor = descriptor
    self.isQuiet = isQuiet
    showsProgress = !isQuiet && Terminal.canRewrite(descriptor, environment)
    usesUnicode = Terminal.usesUnicode(environment)
  }

  /// The current size in columns and rows; 80 × 24 if it is not known.
  public var size: (width: Int, height: Int) { Terminal.size(descriptor) }

  /// Prints a message, except in quiet mode.
  public func say(_ line: String) {
    if !isQuiet { warn(line) }
  }

  /// Prints a message even in quiet mode.
  public func warn(_ line: String) {
    queue.async { self.put(self.state.withLock { $0.text.message(DisplayText.safe(line)) }) }
  }

  /// Replaces the lines below the messages. If frames arrive faster than they are drawn, only the latest one is
  /// drawn.
  public func show(_ lines: [String]) {
    guard showsProgress else { return }
    let isFirst = state.withLock { state in
      defer { state.frame = lines }
      return state.frame == nil
    }
    guard isFirst else { return }
    queue.async {
      self.put(self.state.withLock { state in state.frame.take().map { state.text.show($0) } ?? "" })
    }
  }

  /// Returns when everything is written.
  public func flush() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }

  /// Writes the text. Runs on the queue. Errors are ignored, because there is no other place to report them.
  private func put(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        SystemCall.retrying { write(descriptor, bytes.baseAddress, bytes.count) }
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        _ = DescriptorIO.wait(for: .writing, on: descriptor, milliseconds: 1000)
      } else {
        return
      }
    }
  }
}

/// Computes the text that makes a terminal show permanent messages with changing lines below them. A value type.
public struct ScreenText: Sendable {
  private var shown: [String] = []

  /// Creates an empty screen text.
  public init() {}

  /// Returns the text that prints a permanent message above the changing lines.
  public mutating func message(_ line: String) -> String {
    erase() + line + "\n" + shown.joined(separator: "\n")
  }

  /// Returns the text that replaces the changing lines.
  public mutating func show(_ lines: [String]) -> String {
    if lines == shown { return "" }
    defer { shown = lines }
    return erase() + lines.joined(separator: "\n")
  }

  private func erase() -> String {
    if shown.isEmpty { return "" }
    // Moves to the start of the first changing line and clears everything below.
    return (shown.count > 1 ? "\u{1B}[\(shown.count - 1)A" : "") + "\r\u{1B}[J"
  }
}
