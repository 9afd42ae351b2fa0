import HTTPSyntax
import Retriever

/// The part of the body that a 206 response contains: `bytes 100-199/200`.
struct ContentRange: Sendable, Equatable {
  let first: Int64
  let last: Int64
  /// The length of the complete body; nil if the server does not specify it.
  let total: Int64?

  init?(_ field: String) {
    let words = field.split(separator: " ")
    guard words.count == 2, ASCII.equalIgnoringCase(words[0], "bytes") else { return nil }
    let parts = words[1].split(separator: "/")
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = ASCII.number(ends[0]), let last = ASCII.number(ends[1]), first <= last
    else { return nil }
    self.first = first
    self.last = last
    total = parts[1] == "*" ? nil : ASCII.number(parts[1])
    if parts[1] != "*", total.map({ $0 > last }) != true { return nil }
  }
}
