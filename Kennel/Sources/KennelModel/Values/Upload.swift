import Foundation
import KennelStorage

/// What a person says about a photo that is uploaded.
package struct UploadDetails: Sendable, Hashable {
  package var caption: String
  /// Whether others get the metadata of the photo, such as the place.
  package var sharesMetadata: Bool
  /// Whether another post may have the same photo.
  package var allowsDuplicate: Bool

  package init(caption: String = "", sharesMetadata: Bool = false, allowsDuplicate: Bool = false) {
    self.caption = caption
    self.sharesMetadata = sharesMetadata
    self.allowsDuplicate = allowsDuplicate
  }
}

/// An upload that can be resumed, of one person. Its bytes arrive with any number of requests.
package struct Upload: Sendable, Hashable, Identifiable {
  static let idSize = 16

  package var id: [UInt8]
  package var user: User.ID
  /// The number of bytes that the complete upload has.
  package var byteCount: Int
  package var details: UploadDetails
  /// The description that the client has given, as it was sent.
  package var description: String
  package var created: Date
  /// When the upload is removed, finished or not.
  package var expires: Date
  /// The post that it has become, or nil if it is unfinished.
  package var post: Post.ID?

  /// The id as text, for an address and for the name of the file.
  package var name: String { Sodium.base64(id) }

  /// Returns the id of which this is the text, or nil if it is none.
  static func id(_ name: String) -> [UInt8]? { Sodium.bytes(idSize, ofBase64: name) }
}

extension Upload {
  /// The columns of a row, in this order.
  init(row: borrowing RecordRow) {
    self.init(
      id: row.blob(0), user: row.integer(1), byteCount: Int(row.integer(2)),
      details: UploadDetails(
        caption: row.text(3), sharesMetadata: row.integer(4) != 0, allowsDuplicate: row.integer(5) != 0),
      description: row.text(6), created: Date(milliseconds: row.integer(7)),
      expires: Date(milliseconds: row.integer(8)), post: row.isNull(9) ? nil : row.integer(9))
  }
}

extension KennelError {
  static let noSuchUpload = KennelError(
    .noSuchUpload, "The upload does not exist. It may have expired or been cancelled. Start it again.")
}
