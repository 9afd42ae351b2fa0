import Foundation

/// Why a bridge between callbacks and async code could not give what was asked of it.
///
/// What the bridged work itself reports is thrown as it is; this is about the bridge, and says in whose
/// source line it was made.
public struct BridgeError: Error, Sendable {
  /// The kinds of failure. New ones may be added: a `switch` needs a `default`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case neverCalled, neitherValueNorError, delegateWentAway, publisherWentAway, alreadyWaiting
      case concurrentIteration, bufferOverflow, wouldBlockTask, pollingGaveUp
    }

    private let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// The callback was dropped by everyone who held it, without having been called.
    public static let neverCalled = Code(.neverCalled)
    /// The callback was called with neither a value nor an error.
    public static let neitherValueNorError = Code(.neitherValueNorError)
    /// The slot was finished, or its owner went away, so no further event can come.
    public static let delegateWentAway = Code(.delegateWentAway)
    /// The publisher dropped its subscriber without having completed.
    public static let publisherWentAway = Code(.publisherWentAway)
    /// Another task is waiting on a slot that admits one at a time.
    public static let alreadyWaiting = Code(.alreadyWaiting)
    /// Two tasks were iterating over the same sequence at the same time.
    public static let concurrentIteration = Code(.concurrentIteration)
    /// More values came than the buffer holds, and its policy is to fail.
    public static let bufferOverflow = Code(.bufferOverflow)
    /// A thread that was running a task would have been blocked.
    public static let wouldBlockTask = Code(.wouldBlockTask)
    /// The polled value was not there within the attempts or the time allowed.
    public static let pollingGaveUp = Code(.pollingGaveUp)

    /// The name of the code.
    public var description: String { kind.rawValue }
  }

  /// What went wrong.
  public let code: Code
  /// Where the bridge was made, if it knows.
  public let site: CallSite?
  /// How many events the buffer held, or how many attempts were made, where that is what failed.
  public let count: Int?

  init(_ code: Code, at site: CallSite? = nil, count: Int? = nil) {
    self.code = code
    self.site = site
    self.count = count
  }
}

extension BridgeError: CustomStringConvertible, LocalizedError {
  /// A sentence that says what went wrong, where, and what can be done about it.
  public var description: String {
    let place = site.map { " made at \($0)" } ?? ""
    switch code {
    case .neverCalled:
      return
        "The callback\(place) was dropped without being called. Some path of the work forgets its caller."
    case .neitherValueNorError:
      return "The callback\(place) was called with neither a value nor an error."
    case .delegateWentAway:
      return "The slot\(place) is finished or its owner went away: no further event can come."
    case .publisherWentAway:
      return "The publisher dropped the subscriber\(place) without completing."
    case .alreadyWaiting:
      return "Another task waits on the slot\(place) already. Make it with `waiters: .many` to admit several."
    case .concurrentIteration:
      return "Two tasks iterate over the sequence\(place) at once. It can be read by one task at a time."
    case .bufferOverflow:
      return "More than \(count ?? 0) values came to the sequence\(place) before they were read."
    case .wouldBlockTask:
      return "The call\(place) would block a thread that is running a task. Use `await` there instead."
    case .pollingGaveUp:
      return "The value polled for\(place) was not there after \(count ?? 0) attempts."
    default:
      return "The bridge\(place) failed: \(code)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
