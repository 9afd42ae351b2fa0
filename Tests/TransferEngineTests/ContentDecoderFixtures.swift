import CZlib
import CZstd
import Foundation
import TestSupport
import Testing

@testable import TransferEngine

/// Bodies in every coding, created by the reference libraries.
enum Encoded {
  /// The encoding of a body: the codings, and the raw form that many servers send as “deflate”.
  enum Form: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case gzip, zlib, rawDeflate, brotli, zstandard
    var testDescription: String { rawValue }

    var coding: ContentCoding {
      switch self {
      case .gzip: .gzip
      case .zlib, .rawDeflate: .deflate
      case .brotli: .brotli
      case .zstandard: .zstandard
      }
    }
  }

  static let shortText = Array(CompressedFixture.text.utf8)

  /// A body that is several pieces long. Half of it cannot be compressed.
  static let longBody: [UInt8] = {
    var random = SeededRandom(7)
    var bytes: [UInt8] = []
    while bytes.count < 300_000 {
      for _ in 0..<40 {
        let word = random.next()
        withUnsafeBytes(of: word) { bytes += $0 }
      }
      bytes += Array(CompressedFixture.text.utf8.prefix(320))
    }
    return bytes
  }()

  static func encode(_ bytes: [UInt8], _ form: Form) throws -> [UInt8] {
    switch form {
    case .gzip: try deflate(bytes, windowBits: 31)
    case .zlib: try deflate(bytes, windowBits: 15)
    case .rawDeflate: try deflate(bytes, windowBits: -15)
    case .brotli: brotli(bytes)
    case .zstandard: try zstandard(bytes)
    }
  }

  static func deflate(_ bytes: [UInt8], windowBits: Int32) throws -> [UInt8] {
    var input = bytes
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard deflateInit2_(&stream, 6, Z_DEFLATED, windowBits, 8, 0, ZLIB_VERSION, size) == Z_OK else {
      throw TestSupportError("Could not initialize zlib")
    }
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 100)
    let code = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        return CZlib.deflate(&stream, Z_FINISH)
      }
    }
    guard code == Z_STREAM_END else { throw TestSupportError("Could not compress with zlib") }
    return Array(output.prefix(Int(stream.total_out)))
  }

  /// Returns uncompressed meta-blocks that contain the bytes as they are, which needs no encoder.
  static func brotli(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
      let block = bytes[start..<min(start + 1 << 16, bytes.count)]
      // Not the last block, four nibbles of length, uncompressed. The first block starts with the bit for a 64 KiB
      // window.
      var bits = UInt32(block.count - 1) << 3 | 1 << 19
      if start == 0 { bits <<= 1 }
      for shift in [0, 8, 16] as [UInt32] { output.append(UInt8(truncatingIfNeeded: bits >> shift)) }
      output += block
    }
    // The last meta-block is empty. If it is the only one, the bit for the window precedes it.
    return output + [bytes.isEmpty ? 6 : 3]
  }

  static func zstandard(_ bytes: [UInt8], level: Int32 = 3) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let count = ZSTD_compress(&output, output.count, bytes, bytes.count, level)
    guard ZSTD_isError(count) == 0 else { throw TestSupportError("Could not compress with zstd") }
    return Array(output.prefix(count))
  }
}

/// A body decoder with a consumer that records what it receives.
final class DecodingRun {
  let decoder: BodyDecoder
  private(set) var output: [UInt8] = []
  private(set) var longestPiece = 0
  private(set) var pauses = 0
  private(set) var failure: TransferFailure?
  /// Whether to pause after a piece.
  var pausesAfterPiece: () -> Bool = { false }

  init(_ codings: [ContentCoding]) { decoder = BodyDecoder(codings) }

  /// Feeds the pieces and the end, and resumes after each pause. Stops at the first failure.
  func feed(_ pieces: [[UInt8]]) -> Self {
    for piece in pieces {
      var outcome = piece.withUnsafeBytes { decoder.decode($0, deliver: take) }
      while outcome == .kept { outcome = decoder.resume(deliver: take) }
      if case .failed(let failure) = outcome {
        self.failure = failure
        return self
      }
    }
    failure = decoder.failureAtEnd()
    return self
  }

  private func take(_ piece: UnsafeRawBufferPointer) -> TransferDisposition {
    output.append(contentsOf: piece)
    longestPiece = max(longestPiece, piece.count)
    guard pausesAfterPiece() else { return .proceed }
    pauses += 1
    return .pause
  }
}

extension [UInt8] {
  func pieces(of size: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
