import Foundation

/// A client's result for a reply.
enum Outcome: Sendable, Equatable {
  struct Response: Sendable, Equatable {
    var status: Int
    /// Names in lower case; values of several fields with the same name are joined.
    var fields: [String: String]
    var body: Data
  }

  /// The class of an error, common to both clients.
  enum Failure: String, Sendable {
    case notHTTP = "not HTTP"
    case cut = "connection lost"
    case undecodable = "undecodable"
    case tooLarge = "too large"
    case timedOut = "timed out"
    case other = "other error"
  }

  case response(Response)
  /// The class, and the client's own code.
  case failure(Failure, String)

  /// Returns a short description of the differences from another outcome, for the table.
  func summary(besides other: Outcome) -> String {
    switch (self, other) {
    case (.failure(let failure, let code), _): return "\(failure.rawValue) (\(code))"
    case (.response(let response), .failure):
      return "\(response.status), \(Self.shown(response.body))"
    case (.response(let response), .response(let other)):
      var parts: [String] = []
      if response.status != other.status { parts.append("\(response.status)") }
      if response.body != other.body { parts.append(Self.shown(response.body)) }
      let names = Set(response.fields.keys).union(other.fields.keys).sorted()
      for name in names where response.fields[name] != other.fields[name] {
        let value = response.fields[name].map { "“\(RawReply.visible(Self.shortened($0)))”" } ?? "absent"
        parts.append("\(RawReply.visible(Self.shortened(name))): \(value)")
      }
      return parts.joined(separator: ", ")
    }
  }

  private static func shortened(_ text: String) -> String { text.count > 40 ? "\(text.prefix(40))…" : text }

  private static func shown(_ body: Data) -> String {
    let text = RawReply.visible(String(decoding: body.prefix(24), as: UTF8.self))
    return body.count > 24 ? "\(body.count) bytes" : "“\(text == "nothing" ? "" : text)”"
  }
}

/// The kind of difference between two outcomes.
enum Difference: String, Sendable {
  case refusedHere = "accepted only there"
  case acceptedHere = "accepted only here"
  case error = "different errors"
  case status = "different statuses"
  case body = "different bodies"
  case fields = "different fields"

  /// Compares two outcomes. Returns nil if they are equal.
  init?(reference: Outcome, result: Outcome) {
    switch (reference, result) {
    case (.response, .failure): self = .refusedHere
    case (.failure, .response): self = .acceptedHere
    case (.failure(let one, _), .failure(let other, _)):
      if one == other { return nil }
      self = .error
    case (.response(let one), .response(let other)):
      if one.status != other.status {
        self = .status
      } else if one.body != other.body {
        self = .body
      } else if one.fields != other.fields {
        self = .fields
      } else {
        return nil
      }
    }
  }
}
