import Foundation
import HTTPService

/// The fields of a small form, sent as JSON or as an HTML form.
struct SmallForm: Sendable {
  /// The maximum number of fields.
  private static let maximumCount = 16

  private let items: [String: String]
  private let example: String
  /// Whether a browser has sent the form without a script and displays the response.
  let isFromPage: Bool

  /// - Parameter example: an example of the expected JSON, for error messages.
  init(_ request: HTTPRequest, example: String) async throws {
    self.example = example
    switch ContentType(request).type {
    case "application/json":
      items = try await SmallBody.json([String: Scalar].self, of: request, form: example).mapValues(\.text)
      isFromPage = false
    case "application/x-www-form-urlencoded":
      items = Self.items(of: try await SmallBody.text(of: request))
      isFromPage = AcceptedTypes(request.fields).prefers("text/html", to: "application/json")
    default:
      throw Problem(.unsupportedMediaType, "Send the fields as application/json, \(example).")
    }
  }

  /// The value of a field, or nil if it is missing.
  subscript(name: String) -> String? { items[name] }

  /// Returns the value of a field.
  ///
  /// - Throws: a problem if it is missing.
  func required(_ name: String) throws(Problem) -> String {
    guard let value = items[name] else {
      throw .badRequest("The field \(name) is missing. Send \(example).")
    }
    return value
  }

  /// A value of a JSON member: a text, a number, or true or false.
  private struct Scalar: Decodable {
    var text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let flag = try? value.decode(Bool.self) {
        text = flag ? "true" : "false"
      } else if let number = try? value.decode(Int.self) {
        text = String(number)
      } else {
        text = try value.decode(String.self)
      }
    }
  }

  private static func items(of text: String) -> [String: String] {
    var items: [String: String] = [:]
    for pair in text.split(separator: "&").prefix(maximumCount) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = parts.map { $0.replacing("+", with: " ").removingPercentEncoding }
      guard decoded.count == 2, let name = decoded[0], let value = decoded[1] else { continue }
      if items[name] == nil { items[name] = value }
    }
    return items
  }
}
