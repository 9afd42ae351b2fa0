import Foundation
import SystemFiles

extension StrippedImage {
  /// Writes the copy next to a file and renames it. Runs on a thread that may block.
  func write(to url: URL, replaces: Bool, _ flag: CancellationFlag) throws(ImageError) {
    var path = url.path
    guard url.isFileURL, SymbolicLinks.follow(&path) else {
      throw ImageError(
        .invalidRequest, "\(url.lastPathComponent) is not the place of a file. Use a file URL.")
    }
    var failure: ImageError?
    let code = AtomicReplacement.writeDurably(to: path, replaces: replaces) { descriptor in
      do throws(ImageError) {
        var code: Int32 = 0
        try withPieces { (bytes) throws(ImageError) -> Int32? in
          try flag.check()
          code = DescriptorIO.write(bytes, to: descriptor)
          return code == 0 ? nil : code
        }
        return code
      } catch {
        failure = error
        return ECANCELED
      }
    }
    if let failure { throw failure }
    guard code == 0 else {
      throw ImageError(
        .unreadable, "Could not write the file \(url.lastPathComponent): \(SystemError(code).reason).")
    }
  }

  /// Passes the copy to a function in pieces, until the function returns a value, which stops the copy.
  @discardableResult
  func withPieces<Stop>(
    _ body: (UnsafeRawBufferPointer) throws(ImageError) -> Stop?
  ) throws(ImageError) -> Stop? {
    switch source {
    case .data(let data): return try withPieces(of: DataSource(data), body) {}
    case .file(let url, let identity):
      let file = try FileSource(url)
      guard file.identity == identity else { throw Self.changed(url) }
      return try withPieces(of: file, body) { () throws(ImageError) in
        if file.hasChanged { throw Self.changed(url) }
      }
    }
  }

  private func withPieces<Stop>(
    of bytes: any ByteSource, _ body: (UnsafeRawBufferPointer) throws(ImageError) -> Stop?,
    finally check: () throws(ImageError) -> Void
  ) throws(ImageError) -> Stop? {
    for piece in plan.pieces {
      switch piece {
      case .made(let made):
        for start in stride(from: 0, to: made.count, by: Self.pieceSize) {
          let part = Array(made[start..<min(start + Self.pieceSize, made.count)])
          if let stop = try Self.pass(part, to: body) { return stop }
        }
      case .zeros(let count):
        for start in stride(from: 0, to: count, by: Self.pieceSize) {
          let zeros = [UInt8](repeating: 0, count: min(Self.pieceSize, count - start))
          if let stop = try Self.pass(zeros, to: body) { return stop }
        }
      case .copied(let range):
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.pieceSize) {
          let end = min(start + Self.pieceSize, range.upperBound)
          guard let copied = try bytes.exactly(end - start, at: start) else {
            throw ImageError(.unreadable, "The image became shorter while it was copied. Try again.")
          }
          if let stop = try Self.pass(copied, to: body) { return stop }
        }
      }
    }
    try check()
    return nil
  }

  private static func pass<Stop>(
    _ bytes: [UInt8], to body: (UnsafeRawBufferPointer) throws(ImageError) -> Stop?
  ) throws(ImageError) -> Stop? {
    guard !bytes.isEmpty else { return nil }
    let result: Result<Stop?, ImageError> = bytes.withUnsafeBytes { bytes in
      Result { () throws(ImageError) in try body(bytes) }
    }
    return try result.get()
  }

  private static func changed(_ url: URL) -> ImageError {
    ImageError(.unreadable, "The file \(url.lastPathComponent) changed while it was copied. Try again.")
  }
}
