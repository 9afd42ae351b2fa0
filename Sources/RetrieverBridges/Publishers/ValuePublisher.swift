import Foundation

/// A type that sends values to its subscribers over time, at most as many as they request. This protocol is the part
/// of Combine, OpenCombine and Reactive Streams that the bridges need.
///
/// A subscriber first receives a ``ValueSubscription``, requests values from it, and receives at most that many. A
/// completion is the last message. Calls to one subscriber do not overlap.
///
/// Publishers of Combine and OpenCombine get the bridges from extensions and do not need to conform to this protocol.
public protocol ValuePublisher<Output, Failure> {
  /// The type of its values.
  associatedtype Output: Sendable
  /// The type of its failure; `Never` if it cannot fail.
  associatedtype Failure: Error

  /// Sends a subscription to a subscriber, and then values as they are requested.
  func subscribe(_ subscriber: some ValueSubscriber<Output, Failure>)
}

/// Receives the values of a ``ValuePublisher``.
public protocol ValueSubscriber<Input, Failure>: AnyObject, Sendable {
  /// The type of the received values.
  associatedtype Input: Sendable
  /// The type of the publisher's failure.
  associatedtype Failure: Error

  /// Receives the subscription.
  func receive(subscription: any ValueSubscription)
  /// Receives a value that was requested.
  func receive(_ value: Input)
  /// Receives the completion: the publisher has finished or failed.
  func receive(completion: Result<Void, Failure>)
}

/// A subscriber's connection to its publisher. Both methods are thread-safe and can be called at any time.
public protocol ValueSubscription: AnyObject, Sendable {
  /// Requests `count` more values.
  func request(_ count: Int)
  /// Stops the delivery of values and releases the subscriber.
  func cancel()
}

/// The error that ``ValuePublisher/singleResult(isolation:fileID:line:)`` throws if the publisher finished without a
/// value.
public struct MissingOutputError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// Creates an error.
  public init() {}

  /// A message that describes the error.
  public var description: String { "The publisher finished without sending a value." }
  /// The same as ``description``.
  public var errorDescription: String? { description }
}
