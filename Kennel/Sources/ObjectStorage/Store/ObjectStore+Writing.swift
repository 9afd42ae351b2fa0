import Foundation
import Hashing

/// What is stored with an object.
package struct ObjectDescription: Sendable, Hashable {
  /// The content type.
  package var type: String?
  /// The header field `Cache-Control` of responses.
  package var cacheControl: String?
  /// Other properties. Names and values are visible ASCII characters.
  package var metadata: [String: String]

  package init(type: String? = nil, cacheControl: String? = nil, metadata: [String: String] = [:]) {
    self.type = type
    self.cacheControl = cacheControl
    self.metadata = metadata
  }

  var headers: [(String, String)] {
    var headers: [(String, String)] = []
    if let type { headers.append(("Content-Type", type)) }
    if let cacheControl { headers.append(("Cache-Control", cacheControl)) }
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      headers.append(("x-amz-meta-\(name)", value))
    }
    return headers
  }
}

extension ObjectStore {
  /// Whether a conditional write has stored its bytes.
  package enum WriteResult: Sendable, Hashable {
    case stored
    /// There is an object with the name already. After a lost connection, it may be from an earlier attempt of this call.
    case existed
  }

  /// Stores bytes as an object. The store verifies their hash, and an object with the same name is replaced.
  ///
  /// - Parameters:
  ///   - data: The bytes, at most 5 GB. Use ``upload(_:as:_:)`` for large or unknown amounts.
  ///   - key: The name of the object.
  ///   - description: What is stored with it.
  ///   - onlyIfAbsent: Whether an existing object stays as it is. With a store that cannot decide this itself, an object that
  ///     is written at the same moment may be replaced.
  @discardableResult
  package func put(
    _ data: Data, as key: String, _ description: ObjectDescription = ObjectDescription(),
    onlyIfAbsent: Bool = false
  ) async throws(ObjectStoreError) -> WriteResult {
    do throws(StoreTransport.Failure) {
      var request = try request("PUT", key, headers: description.headers, body: data)
      request.headers.append(("x-amz-checksum-sha256", Data(SHA256.hash(data)).base64EncodedString()))
      if onlyIfAbsent { request.headers.append(("If-None-Match", "*")) }
      _ = try await transport.perform(request)
      return .stored
    } catch {
      guard onlyIfAbsent else { throw error.error }
      if error.error.code == .conditionFailed { return .existed }
      // OpenStack Swift has no conditional writes.
      guard error.error.storeCode == "NotImplemented" else { throw error.error }
      return try await properties(of: key) == nil ? try await put(data, as: key, description) : .existed
    }
  }

  /// The maximum number of objects in one request. The protocol allows 1000, but a store on a slow disk does not answer in
  /// time then.
  private static let maximumDeletions = 250

  /// Deletes objects. Those that do not exist are not an error.
  ///
  /// - Throws: The first error. The other objects are deleted nevertheless, as far as possible.
  package func delete(_ keys: [String]) async throws(ObjectStoreError) {
    var first: ObjectStoreError?
    for start in stride(from: 0, to: keys.count, by: Self.maximumDeletions) {
      let part = keys[start..<min(start + Self.maximumDeletions, keys.count)]
      do throws(ObjectStoreError) {
        try await deletePart(part)
      } catch {
        if error.code == .cancelled { throw error }
        first = first ?? error
      }
    }
    if let first { throw first }
  }

  private func deletePart(_ keys: ArraySlice<String>) async throws(ObjectStoreError) {
    var text = #"<?xml version="1.0" encoding="UTF-8"?><Delete><Quiet>true</Quiet>"#
    for key in keys { text += "<Object><Key>\(XMLText.escape(try full(key)))</Key></Object>" }
    text += "</Delete>"
    let body = Data(text.utf8)
    // Stores require this field here. Newer ones also accept other checksums.
    let digest = Data(MD5.hash(Array(body))).base64EncodedString()
    let request = StoreRequest(
      method: "POST", key: "", query: [("delete", "")],
      headers: [("Content-MD5", digest), ("Content-Type", "application/xml")], body: body,
      subject: keys.count == 1 ? "an object" : "a group of \(keys.count) objects")
    let response: StoreTransport.Response
    do throws(StoreTransport.Failure) { response = try await transport.perform(request) } catch {
      throw error.error
    }
    guard let document = XMLDocument.parse(response.body), document.name == "DeleteResult" else {
      throw ObjectStoreError(.badResponse, "The store did not confirm that objects were deleted.")
    }
    let failed = document.all("Error").filter { $0.text("Code") != "NoSuchKey" }
    guard let example = failed.first else { return }
    let code = String((example.text("Code") ?? "unknown").prefix(100))
    throw ObjectStoreError(
      code == "AccessDenied" ? .notAllowed : .refused,
      "\(failed.count) of \(keys.count) objects were not deleted, for example \(example.text("Key") ?? "") (\(code)). "
        + "Check the permissions of the access key, then try again.", status: 200, storeCode: code)
  }
}

enum XMLText {
  /// Escapes a text for the content of an element. Control characters are written as references.
  static func escape(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case _ where character.value < 0x20: escaped += "&#\(character.value);"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
