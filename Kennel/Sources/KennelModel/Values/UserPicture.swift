import Foundation
import KennelStorage

/// The picture of a user, which pages show beside the name.
package struct UserPicture: Sendable, Hashable {
  /// A number that is different for each picture. It is part of addresses, so that a cache never shows an earlier picture.
  package typealias Version = Int64

  /// The length of the sides in pixels. A picture that was smaller is not enlarged.
  package static let side = 256
  /// The maximum size of the file from which a picture is made, in bytes.
  package static let maximumUploadSize = PhotoLimits.maximumByteCount

  package var version: Version
  package var jpeg: Data
}
