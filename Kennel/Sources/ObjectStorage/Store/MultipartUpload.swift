import Foundation

/// An upload in parts that has begun at the store.
struct MultipartUpload: Sendable {
  private let store: ObjectStore
  private let key: String
  private let identifier: String

  /// Begins an upload.
  static func begin(
    _ store: ObjectStore, _ key: String, _ description: ObjectDescription
  ) async throws(ObjectStoreError) -> MultipartUpload {
    do throws(StoreTransport.Failure) {
      var request = try store.request(
        "POST", key, query: [("uploads", "")], headers: description.headers, body: Data())
      // A second attempt would leave an upload that nobody completes or removes.
      request.repetition = .ifRefused
      let response = try await store.transport.perform(request)
      guard let document = XMLDocument.parse(response.body), document.name == "InitiateMultipartUploadResult",
        let identifier = document.text("UploadId"), !identifier.isEmpty
      else {
        throw StoreTransport.Failure(
          error: ObjectStoreError(.badResponse, "The store did not begin an upload in parts."))
      }
      return MultipartUpload(store: store, key: key, identifier: identifier)
    } catch {
      throw error.error
    }
  }

  /// Stores one part. Returns its tag.
  func send(_ part: Data, number: Int) async throws(ObjectStoreError) -> String {
    do throws(StoreTransport.Failure) {
      let request = try store.request(
        "PUT", key, query: [("partNumber", String(number)), ("uploadId", identifier)], body: part)
      let tag = try await store.transport.perform(request).answer.tag
      guard !tag.isEmpty else {
        throw StoreTransport.Failure(
          error: ObjectStoreError(.badResponse, "The store did not confirm a part of an upload."))
      }
      return tag
    } catch {
      throw error.error
    }
  }

  /// Makes the object of the parts.
  ///
  /// - Parameters:
  ///   - tags: The tags of the parts by their numbers.
  ///   - size: The number of bytes of all parts.
  func complete(_ tags: [Int: String], size: Int64) async throws(ObjectStoreError) {
    var text = "<CompleteMultipartUpload>"
    for (number, tag) in tags.sorted(by: { $0.key < $1.key }) {
      text += "<Part><PartNumber>\(number)</PartNumber><ETag>\(XMLText.escape(tag))</ETag></Part>"
    }
    text += "</CompleteMultipartUpload>"
    do throws(StoreTransport.Failure) {
      let request = try store.request(
        "POST", key, query: [("uploadId", identifier)], headers: [("Content-Type", "application/xml")],
        body: Data(text.utf8))
      let response = try await store.transport.perform(request)
      guard XMLDocument.parse(response.body)?.name == "CompleteMultipartUploadResult" else {
        throw StoreTransport.Failure(
          error: ObjectStoreError(.badResponse, "The store did not confirm an upload in parts."))
      }
    } catch {
      // The response to an earlier attempt may have been lost. Then the upload does not exist any more.
      guard error.isMissing, error.followsUnknownAttempt,
        let properties = try await store.properties(of: key), properties.size == size,
        properties.tag.contains("-\(tags.count)")
      else { throw error.error }
    }
  }

  /// Removes the parts. The store also removes them later, if its bucket is configured for that.
  func abort() async { try? await store.abort(UnfinishedUpload(key: key, identifier: identifier)) }
}
