import Foundation
import HTTPService

/// Bodies that are read as a whole.
enum SmallBody {
  static let limit = 64 << 10

  static func text(of request: HTTPRequest) async throws -> String {
    let bytes = try await request.body.collectedBody(upTo: limit)
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw Problem.badRequest("The text is not UTF-8. Send it in UTF-8.")
    }
    return text
  }

  /// - Parameter form: what the JSON has to look like, for who got it wrong.
  static func json<Value: Decodable>(
    _ type: Value.Type, of request: HTTPRequest, form: String
  ) async throws -> Value {
    let bytes = try await request.body.collectedBody(upTo: limit)
    do {
      return try JSONDecoder().decode(type, from: bytes)
    } catch {
      throw Problem.badRequest("The body is not the JSON that is wanted here. Send \(form).")
    }
  }
}
