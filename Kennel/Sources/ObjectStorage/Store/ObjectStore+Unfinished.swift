import Foundation

/// An upload in parts that was begun and neither completed nor aborted. The store keeps its parts, which no list of objects contains.
package struct UnfinishedUpload: Sendable, Hashable {
  /// The name of the object, without the prefix of the location.
  package var key: String
  /// The store's identifier of the upload.
  package var identifier: String
  /// When the upload began, if the store reports it in a known form.
  package var begun: Date?
}

extension ObjectStore {
  /// Returns the uploads of the location that were neither completed nor aborted, also those that are in progress.
  package func unfinishedUploads() async throws(ObjectStoreError) -> [UnfinishedUpload] {
    let mistake = ObjectStoreError(.badResponse, "The store did not send a valid list of uploads.")
    var uploads: [UnfinishedUpload] = []
    var last: (key: String, identifier: String)?
    while true {
      guard let document = try await uploadPage(after: last), document.name == "ListMultipartUploadsResult"
      else { throw mistake }
      for upload in document.all("Upload") {
        guard let key = upload.text("Key"), let identifier = upload.text("UploadId") else { throw mistake }
        guard key.utf8.starts(with: location.prefix.utf8) else { continue }
        uploads.append(
          UnfinishedUpload(
            key: String(decoding: key.utf8.dropFirst(location.prefix.utf8.count), as: UTF8.self),
            identifier: identifier, begun: upload.text("Initiated").flatMap(ObjectList.date)))
      }
      guard document.text("IsTruncated") == "true" else { return uploads }
      let key = document.text("NextKeyMarker") ?? ""
      let identifier = document.text("NextUploadIdMarker") ?? ""
      guard !key.isEmpty, key != last?.key || identifier != last?.identifier else { throw mistake }
      last = (key, identifier)
    }
  }

  private func uploadPage(
    after last: (key: String, identifier: String)?
  ) async throws(ObjectStoreError) -> XMLNode? {
    var query = [("uploads", ""), ("max-uploads", "1000"), ("prefix", location.prefix)]
    if let last { query += [("key-marker", last.key), ("upload-id-marker", last.identifier)] }
    let request = StoreRequest(method: "GET", key: "", query: query, subject: "the list of uploads")
    do throws(StoreTransport.Failure) {
      return XMLDocument.parse(try await transport.perform(request).body)
    } catch {
      throw error.error
    }
  }

  /// Removes the parts of an upload. Does nothing if the upload was completed or aborted.
  package func abort(_ upload: UnfinishedUpload) async throws(ObjectStoreError) {
    do throws(StoreTransport.Failure) {
      var request = try request("DELETE", upload.key, query: [("uploadId", upload.identifier)])
      request.subject = "an upload"
      _ = try await transport.perform(request)
    } catch {
      if !error.isMissing { throw error.error }
    }
  }
}
