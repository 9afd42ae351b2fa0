import Foundation

/// Sends uploads that can be resumed to a site.
package struct TusClient: Sendable {
  package let web: SiteFixture
  package var fields: [String: String]

  package init(_ web: SiteFixture, _ fields: [String: String]) { (self.web, self.fields) = (web, fields) }

  package func ask(
    _ method: String, _ path: String, _ more: [String: String] = [:], body: Data? = nil
  ) async throws -> SiteFixture.Answer {
    let all = fields.merging(["Tus-Resumable": "1.0.0"]) { $1 }.merging(more) { $1 }
    return try await web.ask(method, path, all.filter { !$0.value.isEmpty }, body: body)
  }

  /// Begins an upload. The pairs of its description are encoded.
  package func begin(
    _ byteCount: Int, _ pairs: [String: String] = [:], _ more: [String: String] = [:], body: Data? = nil
  ) async throws -> SiteFixture.Answer {
    let description = pairs.map { "\($0) \(Data($1.utf8).base64EncodedString())" }.joined(separator: ",")
    let fields = ["Upload-Length": "\(byteCount)", "Upload-Metadata": description].merging(more) { $1 }
    return try await ask("POST", "/uploads", fields, body: body)
  }

  package func append(
    _ address: String, at offset: Int, _ bytes: Data, _ more: [String: String] = [:]
  ) async throws -> SiteFixture.Answer {
    let fields = ["Content-Type": "application/offset+octet-stream", "Upload-Offset": "\(offset)"]
    return try await ask("PATCH", address, fields.merging(more) { $1 }, body: bytes)
  }
}

extension SiteFixture.Answer {
  package var offset: Int? { field("Upload-Offset").flatMap { Int($0) } }
  package var post: Int? { field("Kennel-Post").flatMap { Int($0) } }
}
