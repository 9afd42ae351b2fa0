import Foundation

/// A JSON value, for comparing bodies regardless of the order of members and the form of numbers.
indirect enum JSONValue: Sendable, Equatable, Decodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(_ data: Data) throws { self = try JSONDecoder().decode(JSONValue.self, from: data) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = Int64(exactly: value).map { .integer($0) } ?? .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// The first place at which another value differs, with both; nil if they are equal.
  func difference(to expected: JSONValue, at path: String = "$") -> String? {
    switch (self, expected) {
    case (.object(let actual), .object(let expected)):
      for name in expected.keys.sorted() {
        guard let value = actual[name] else { return "\(path).\(name) is missing" }
        if let wanted = expected[name], let difference = value.difference(to: wanted, at: "\(path).\(name)") {
          return difference
        }
      }
      return actual.keys.sorted().first { expected[$0] == nil }.map { "\(path).\($0) is not expected" }
    case (.array(let actual), .array(let expected)):
      for (index, (value, wanted)) in zip(actual, expected).enumerated() {
        if let difference = value.difference(to: wanted, at: "\(path)[\(index)]") { return difference }
      }
      return actual.count == expected.count
        ? nil : "\(path) has \(actual.count) elements, not \(expected.count)"
    default: return self == expected ? nil : "\(path) is \(text), not \(expected.text)"
    }
  }

  private var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): "\"\(RequestText.excerpt(value))\""
    case .array(let values): "an array of \(values.count)"
    case .object(let members): "an object with \(members.count) members"
    }
  }
}
