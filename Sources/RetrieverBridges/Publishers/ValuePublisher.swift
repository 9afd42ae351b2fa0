/// Something that gives values over time to whoever subscribes, as many as are asked for: the shape that
/// Combine, OpenCombine and Reactive Streams have in common, and no more of it than these bridges need.
///
/// A subscriber is given a ``ValueSubscription`` first, asks it for values, and gets no more of them than it
/// asked for. A completion is the last it hears. Calls to one subscriber do not overlap.
///
/// Combine's publishers, and OpenCombine's, get the bridges by extensions of their own and need no
/// conformance.
public protocol ValuePublisher<Output, Failure> {
  /// What it gives.
  associatedtype Output: Sendable
  /// How it fails; `Never` when it cannot.
  associatedtype Failure: Error

  /// Gives a subscriber its subscription, and then its values as they are asked for.
  func subscribe(_ subscriber: some ValueSubscriber<Output, Failure>)
}

/// Takes the values of a ``ValuePublisher``.
public protocol ValueSubscriber<Input, Failure>: AnyObject, Sendable {
  /// What it takes.
  associatedtype Input: Sendable
  /// How its publisher may fail.
  associatedtype Failure: Error

  /// The subscription has begun.
  func receive(subscription: any ValueSubscription)
  /// A value that was asked for has come.
  func receive(_ value: Input)
  /// The publisher is done, or has failed.
  func receive(completion: Result<Void, Failure>)
}

/// The subscriber's hold on its publisher. Both calls may be made from any thread and at any time.
public protocol ValueSubscription: AnyObject, Sendable {
  /// Asks for so many values more.
  func request(_ count: Int)
  /// Asks for no more values, and lets go of the subscriber.
  func cancel()
}

/// Why ``ValuePublisher/singleResult(isolation:fileID:line:)`` has no value to return: the publisher finished without
/// one.
public struct MissingOutputError: Error, Sendable, Hashable, CustomStringConvertible {
  /// An error for a publisher that finished empty.
  public init() {}

  /// A sentence that says so.
  public var description: String { "The publisher finished without having given a value." }
}
