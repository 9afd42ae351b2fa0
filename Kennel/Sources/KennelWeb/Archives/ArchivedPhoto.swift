import CCompression
import Foundation
import KennelModel
import KennelStorage

/// An open file that is written to an archive. It stays readable when its photo is removed in the meantime.
///
/// The checksum comes before the bytes, so the file is read twice. Its pieces are small, however large the archive is.
final class ArchivedPhoto: Sendable {
  static let pieceSize = 256 << 10
  private let photo: BlobFile
  private let file: OpenFile
  let byteCount: Int64

  /// Opens a file. It blocks, as all methods do.
  init(_ photo: BlobFile, byteCount announced: Int64) throws(KennelError) {
    self.photo = photo
    file = try photo.open()
    byteCount = Int64(try file.size())
    guard byteCount == announced else {
      throw KennelError(.inputOutput, "A photo has another size than when it was shared. Run kennel check.")
    }
  }

  /// Returns the CRC-32 of the file.
  func checksum() throws(KennelError) -> UInt32 {
    var checksum: UInt32 = 0
    var position: Int64 = 0
    while position < byteCount {
      let piece = try piece(at: position)
      checksum = piece.withUnsafeBytes { bytes in
        ccompression_crc32(checksum, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
      }
      position += Int64(piece.count)
    }
    return checksum
  }

  /// Returns the bytes from a position on.
  func piece(at position: Int64) throws(KennelError) -> Data {
    var data = Data(count: Int(min(Int64(Self.pieceSize), byteCount - position)))
    let result = data.withUnsafeMutableBytes { buffer in
      Result { () throws(KennelError) in try file.read(into: buffer, at: Int(position)) }
    }
    let count = try result.get()
    guard count > 0 else {
      throw KennelError(.inputOutput, "A photo became shorter while it was read. Run kennel check.")
    }
    return data.prefix(count)
  }
}
