import Foundation
import HTTPSyntax

/// An object in a list.
package struct ListedObject: Sendable, Hashable {
  /// The name, without the prefix of the location.
  package var key: String
  /// The number of bytes.
  package var size: Int64
  /// The entity tag.
  package var tag: String
  /// When the object was written, if the store reports it in a known form.
  package var modified: Date?
}

/// One page of a list of objects.
struct ObjectList: Sendable, Hashable {
  var objects: [ListedObject]
  /// What to ask for the next page with; nil for the last page.
  var continuation: String?

  /// Reads a response to `ListObjectsV2` with `encoding-type=url`.
  ///
  /// - Parameter prefix: What all names begin with. It is removed.
  init(_ body: Data, prefix: String) throws(ObjectStoreError) {
    let mistake = ObjectStoreError(.badResponse, "The store did not send a valid list of objects.")
    guard let document = XMLDocument.parse(body), document.name == "ListBucketResult" else { throw mistake }
    let isEncoded = document.text("EncodingType") == "url"
    objects = []
    for entry in document.all("Contents") {
      guard let name = entry.text("Key"), let size = entry.text("Size").flatMap({ Int64($0) }), size >= 0,
        let key = isEncoded ? PercentEncoding.decode(name[...].utf8, plusIsSpace: true) : name,
        key.utf8.starts(with: prefix.utf8)
      else { throw mistake }
      objects.append(
        ListedObject(
          key: String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self), size: size,
          tag: entry.text("ETag") ?? "",
          modified: entry.text("LastModified").flatMap(Self.date)))
    }
    guard document.text("IsTruncated") == "true" else { return }
    guard let next = document.text("NextContinuationToken"), !next.isEmpty else { throw mistake }
    continuation = next
  }

  /// Reads a time in a list.
  static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: .iso8601))
  }
}
