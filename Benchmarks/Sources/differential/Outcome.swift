import Foundation

/// What a client made of a reply.
enum Outcome: Sendable, Equatable {
  struct Response: Sendable, Equatable {
    var status: Int
    /// Names in lower case; values of several fields with the same name are joined.
    var fields: [String: String]
    var body: Data
  }

  /// Why a client gave none, in classes that both have.
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

  /// For the table: what was different, in a few words.
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

/// In what way two outcomes differ.
enum Difference: String, Sendable {
  case refusedHere = "only curl accepts"
  case acceptedHere = "only Retriever accepts"
  case error = "another error"
  case status = "another status"
  case body = "another body"
  case fields = "other fields"

  /// Nil when the two are the same.
  init?(curl: Outcome, retriever: Outcome) {
    switch (curl, retriever) {
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
