/// A server or a fixture could not be set up; the sentence says what is missing.
public struct TestSupportError: Error, CustomStringConvertible, Sendable {
  /// What went wrong, for the person who reads the test's output.
  public let description: String

  /// An error with the sentence to show.
  public init(_ description: String) {
    self.description = description
  }
}
