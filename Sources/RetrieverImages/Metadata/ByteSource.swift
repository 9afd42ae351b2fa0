import Foundation
import SystemFiles

/// The bytes of a file in memory or on a disk, which are read in any order.
protocol ByteSource: AnyObject {
  /// The number of bytes of the file.
  var count: Int { get }

  /// Returns the bytes in a range. Those outside of the file are missing.
  func bytes(_ range: Range<Int>) throws(ImageError) -> [UInt8]
}

extension ByteSource {
  /// Returns a number of bytes from an offset, or nil if the file ends before.
  func exactly(_ count: Int, at offset: Int) throws(ImageError) -> [UInt8]? {
    guard offset >= 0, count >= 0, offset <= self.count - count else { return nil }
    let bytes = try bytes(offset..<offset + count)
    return bytes.count == count ? bytes : nil
  }

  /// Returns whether all bytes in a range are zero.
  func isZero(_ range: Range<Int>) throws(ImageError) -> Bool {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: StrippedImage.pieceSize) {
      let piece = try bytes(start..<min(start + StrippedImage.pieceSize, range.upperBound))
      guard piece.allSatisfy({ $0 == 0 }) else { return false }
    }
    return true
  }

  /// Returns the format of the image, or throws an error that says why there is none.
  func format() throws(ImageError) -> ImageFormat {
    let first = try bytes(0..<ImageSniffer.maximumSignatureLength)
    guard !first.isEmpty else { throw ImageError(.truncated, "The image data is empty.") }
    switch first.withUnsafeBytes({ ImageSniffer.format(of: $0) }) {
    case .format(let format): return format
    case .needsMoreBytes:
      throw ImageError(.truncated, "The image is incomplete: its data ends after \(first.count) bytes.")
    case .unknown:
      let start = try bytes(0..<UnsupportedFormat.maximumLength)
      let verdict = start.withUnsafeBytes { UnsupportedFormat.verdict(for: $0, isAtEnd: true) }
      if case .named(let name) = verdict { throw .unknownFormat(named: name) }
      throw .unknownFormat(named: nil)
    }
  }
}

/// Bytes in memory.
final class DataSource: ByteSource {
  private let data: Data

  init(_ data: Data) { self.data = data }

  var count: Int { data.count }

  func bytes(_ range: Range<Int>) throws(ImageError) -> [UInt8] {
    let range = range.clamped(to: 0..<data.count)
    return Array(data[(data.startIndex + range.lowerBound)..<(data.startIndex + range.upperBound)])
  }
}

/// The bytes of an open file. Neighboring parts are read together; parts that nobody needs are not read.
final class FileSource: ByteSource {
  // Small, so that the pixels of a PNG with many small chunks are not read.
  private static let bufferSize = 4 << 10

  /// The properties by which an unchanged file is recognized.
  struct Identity: Sendable, Equatable {
    fileprivate let device: UInt
    fileprivate let number: UInt
    let byteCount: Int
    fileprivate let changedSeconds: Int
    fileprivate let changedNanoseconds: Int
  }

  let identity: Identity
  var count: Int { identity.byteCount }
  private let descriptor: Int32
  private let name: String
  private var buffer: [UInt8] = []
  private var bufferStart = 0

  /// Opens a regular file.
  init(_ url: URL) throws(ImageError) {
    guard url.isFileURL else {
      throw ImageError(.invalidRequest, "\(url.absoluteString) is not the URL of a file. Use a file URL.")
    }
    name = url.lastPathComponent
    // Nonblocking, so that `open` does not wait for the other end of a named pipe.
    descriptor = SystemCall.retrying { open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw .unreadable(name, SystemError(errno)) }
    guard let identity = Self.identity(of: descriptor) else {
      close(descriptor)
      throw ImageError(.unreadable, "Could not read the file \(name): it is not a regular file.")
    }
    self.identity = identity
  }

  /// Whether the file was written to since it was opened.
  var hasChanged: Bool { Self.identity(of: descriptor) != identity }

  private static func identity(of descriptor: Int32) -> Identity? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Identity(
      device: UInt(status.st_dev), number: UInt(status.st_ino), byteCount: Int(status.st_size),
      changedSeconds: status.st_mtim.tv_sec, changedNanoseconds: status.st_mtim.tv_nsec)
  }

  deinit { close(descriptor) }

  func bytes(_ range: Range<Int>) throws(ImageError) -> [UInt8] {
    let range = range.clamped(to: 0..<count)
    guard range.count < Self.bufferSize else { return try read(range.lowerBound, range.count) }
    if range.lowerBound < bufferStart || range.upperBound > bufferStart + buffer.count {
      buffer = try read(range.lowerBound, min(Self.bufferSize, count - range.lowerBound))
      bufferStart = range.lowerBound
    }
    let start = range.lowerBound - bufferStart
    return Array(buffer[min(start, buffer.count)..<min(start + range.count, buffer.count)])
  }

  private func read(_ offset: Int, _ count: Int) throws(ImageError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        filled = try DescriptorIO.read(
          into: UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: offset)
      } catch {
        failure = error
        filled = 0
      }
    }
    if let failure { throw .unreadable(name, failure) }
    return bytes
  }
}

extension ImageError {
  static func unreadable(_ name: String, _ error: SystemError) -> ImageError {
    ImageError(.unreadable, "Could not read the file \(name): \(error.reason).")
  }
}
