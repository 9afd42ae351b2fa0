import Foundation
import HTTPService

/// Reads complete small bodies into memory.
enum SmallBody {
  static let limit = 64 << 10

  static func text(of request: HTTPRequest) async throws -> String {
    let bytes = try await request.body.collectedBody(upTo: limit)
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw Problem.badRequest("The text is not valid UTF-8. Send UTF-8.")
    }
    return text
  }

  /// - Parameter form: an example of the expected JSON, for the error message.
  static func json<Value: Decodable>(
    _ type: Value.Type, of request: HTTPRequest, form: String
  ) async throws -> Value {
    let bytes = try await request.body.collectedBody(upTo: limit)
    do {
      return try JSONDecoder().decode(type, from: bytes)
    } catch {
      throw Problem.badRequest("The body is not the expected JSON. Send \(form).")
    }
  }
}
