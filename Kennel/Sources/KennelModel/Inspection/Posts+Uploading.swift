import Foundation
import KennelStorage

// The way of all files that people upload, with a form or with requests that can be resumed.
extension Posts {
  /// Refuses an upload that cannot succeed, before its bytes are received. All uploads ask here.
  ///
  /// - Parameters:
  ///   - byteCount: the announced size of the file, or nil if it is not known.
  ///   - mayBeVideo: whether the file may be a video, which may be larger. Its bytes decide that later.
  /// - Throws: `photoTooLarge`, `diskFull` or `quotaExceeded`.
  package func admitUpload(
    byteCount: Int?, mayBeVideo: Bool, by user: User.ID
  ) async throws(KennelError) {
    let video = photos.limits.video
    let limit = mayBeVideo ? max(video, PhotoInspector.maximumByteCount) : PhotoInspector.maximumByteCount
    if let byteCount, byteCount > limit {
      throw limit == video ? KennelError.videoTooLarge(limit: limit) : .photoTooLarge
    }
    let needed = Int64(byteCount ?? 0)
    let space = try await photos.workQueue.run { [photos] in FileCalls.space(at: photos.path) }
    if let space, space.free - minimumFreeSpace < needed {
      throw KennelError(.diskFull, "The disk of the kennel is nearly full. Contact the owner.")
    }
    try await photos.requireSpace(for: needed)
    try await Quotas(database).requireRoom(for: max(needed, 1), of: user)
  }

  /// Posts a file that was uploaded: it is examined, and the metadata is taken out of it.
  ///
  /// - Parameter upload: the upload that becomes the post. It is recorded in the same transaction.
  /// - Throws: the errors of ``NewPhoto/examining(_:in:sharesMetadata:)`` and
  ///   ``add(_:caption:author:created:taken:allowsDuplicate:upload:)``.
  package func share(
    _ file: StagedPhoto, _ details: UploadDetails, author: User.ID, upload: Upload? = nil
  ) async throws(KennelError) -> Post {
    // The time is part of the metadata that is taken out.
    let captured = await captureTime(ofFileAt: file.path)
    // Uploads that were begun one after another keep their order, although they end in any order.
    let taken = captured ?? upload.map { TakenTime($0.created, in: timeZone, source: .shared) }
    let photo = try await NewPhoto.examining(file, in: photos, sharesMetadata: details.sharesMetadata)
    return try await add(
      photo, caption: details.caption, author: author, taken: taken,
      allowsDuplicate: details.allowsDuplicate, upload: upload?.id)
  }

  /// Returns the post with a photo that was already shared, or nil if there is none.
  ///
  /// - Parameter hash: the hash of the file that would be uploaded.
  package func post(of hash: PhotoHash) async throws(KennelError) -> Post.ID? {
    try await database.read { connection throws(KennelError) in try Self.firstPost(of: hash, connection) }
  }
}

extension Uploads {
  /// Makes a post of a complete upload, or returns the post that it has become.
  ///
  /// If the file cannot be a photo, the upload is removed. After any other error, it can be finished later.
  ///
  /// - Parameter allowsDuplicate: whether another post may have the same photo, also if the upload was begun otherwise.
  package func finish(_ open: OpenUpload, allowsDuplicate: Bool = false) async throws(KennelError) -> Post {
    let upload = open.upload
    var details = upload.details
    details.allowsDuplicate = details.allowsDuplicate || allowsDuplicate
    do throws(KennelError) {
      let file = try await photos.workQueue.run { [photos] () throws(KennelError) in
        try photos.stage(open.file)
      }
      let post = try await posts.share(file, details, author: upload.user, upload: upload)
      try? await photos.workQueue.run { [photos] () throws(KennelError) in
        try photos.removeUpload(upload.name)
      }
      return post
    } catch {
      switch error.code {
      case .unknownFormat, .badPhoto, .photoTooLarge, .badText: try? await remove(upload)
      default: break
      }
      throw error
    }
  }
}
