import Foundation

/// An error of a bridge between callbacks and async code.
///
/// Errors of the bridged work itself are thrown unchanged. A `BridgeError` reports a problem of the bridge and the
/// source line that created the bridge.
public struct BridgeError: Error, Sendable {
  /// The code of a bridge error. New codes may be added, so a `switch` needs a `default` case.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case neverCalled, neitherValueNorError, delegateWentAway, publisherWentAway, alreadyWaiting
      case concurrentIteration, bufferOverflow, wouldBlockTask, pollingGaveUp
    }

    private let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// All references to the callback were released without calling it.
    public static let neverCalled = Code(.neverCalled)
    /// The callback was called with neither a value nor an error.
    public static let neitherValueNorError = Code(.neitherValueNorError)
    /// The slot was finished or its owner was deallocated, so no further event can arrive.
    public static let delegateWentAway = Code(.delegateWentAway)
    /// The publisher released its subscriber without completing.
    public static let publisherWentAway = Code(.publisherWentAway)
    /// Another task is already waiting on a slot that allows one task at a time.
    public static let alreadyWaiting = Code(.alreadyWaiting)
    /// Two tasks were iterating over the same sequence at the same time.
    public static let concurrentIteration = Code(.concurrentIteration)
    /// More values arrived than the buffer holds, and its policy is to fail.
    public static let bufferOverflow = Code(.bufferOverflow)
    /// The call would have blocked a thread that is running a task.
    public static let wouldBlockTask = Code(.wouldBlockTask)
    /// The polled value was not available within the allowed attempts or time.
    public static let pollingGaveUp = Code(.pollingGaveUp)

    /// The name of the code.
    public var description: String { kind.rawValue }
  }

  /// The kind of error.
  public let code: Code
  /// The source line that created the bridge, if it is known.
  public let site: CallSite?
  /// The capacity of the buffer, or the number of polling attempts, if the error is about one of them.
  public let count: Int?

  init(_ code: Code, at site: CallSite? = nil, count: Int? = nil) {
    self.code = code
    self.site = site
    self.count = count
  }
}

extension BridgeError: CustomStringConvertible, LocalizedError {
  /// A message that says what went wrong, where, and what to do.
  public var description: String {
    let place = site.map { " made at \($0)" } ?? ""
    switch code {
    case .neverCalled:
      return
        "The callback\(place) was released without being called. Make sure that every code path calls it."
    case .neitherValueNorError:
      return "The callback\(place) was called with neither a value nor an error."
    case .delegateWentAway:
      return "The slot\(place) is finished or its owner was deallocated: no further event can arrive."
    case .publisherWentAway:
      return "The publisher released the subscriber\(place) without completing."
    case .alreadyWaiting:
      return "Another task is already waiting on the slot\(place). To allow several, use `waiters: .many`."
    case .concurrentIteration:
      return "Two tasks iterated over the sequence\(place) at the same time. Use only one task to read it."
    case .bufferOverflow:
      return "More than \(count ?? 0) values arrived at the sequence\(place) before they were read."
    case .wouldBlockTask:
      return "The call\(place) would block a thread that is running a task. Use `await` instead."
    case .pollingGaveUp:
      return "The value polled for\(place) was not available after \(count ?? 0) attempts."
    default:
      return "The bridge\(place) failed: \(code)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
