/// The part of a body that a response with status 206 contains, such as `bytes 0-9/100` (RFC 9110, 14.4).
public struct ContentRange: Sendable, Equatable {
  /// The bytes of the complete body.
  public let range: Range<Int64>
  /// The length of the complete body; nil if the server did not state it.
  public let length: Int64?

  /// Parses the value of a `Content-Range` field; nil for other units and invalid values.
  public init?(_ value: some StringProtocol) {
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, ASCII.equalIgnoringCase(parts[0], "bytes") else { return nil }
    let numbers = ASCII.trimmed(parts[1]).split(separator: "/", omittingEmptySubsequences: false)
    guard numbers.count == 2 else { return nil }
    let bounds = numbers[0].split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = ASCII.number(bounds[0]), let last = ASCII.number(bounds[1]),
      0 <= first, first <= last, last < Int64.max
    else { return nil }
    range = first..<last + 1
    length = ASCII.number(numbers[1])
    guard length.map({ last < $0 }) ?? (numbers[1] == "*") else { return nil }
  }
}
