import Foundation
import Retriever

/// The body of an answer, one piece after the other.
struct BodyPieces {
  private enum Source {
    case data(Data, offset: Int)
    case pieces([Data], next: Int)
    case file(FileHandle)
  }

  static let defaultSize = 64 << 10

  /// The length, if it is known before.
  let length: Int?
  private var source: Source
  private let size: Int

  /// - Throws: `URLError.cannotOpenFile`.
  init(_ body: StubAnswer.Body, size: Int?) throws {
    self.size = size ?? Self.defaultSize
    switch body {
    case .data(let data):
      length = data.count
      source = .data(data, offset: 0)
    case .pieces(let pieces):
      length = nil
      source =
        if size == nil {
          .pieces(pieces, next: 0)
        } else {
          .data(pieces.reduce(Data(), +), offset: 0)
        }
    case .file(let url):
      do {
        let file = try FileHandle(forReadingFrom: url)
        length = try Int(file.seekToEnd())
        try file.seek(toOffset: 0)
        source = .file(file)
      } catch {
        throw URLError.stub(
          .cannotOpenFile,
          "The file of the stub, \(url.path), could not be read: \(error.localizedDescription)",
          url)
      }
    }
  }

  /// Returns the next piece; nil at the end.
  mutating func next() throws -> Data? {
    switch source {
    case .data(let data, let offset):
      guard offset < data.count else { return nil }
      let end = min(data.count, offset + size)
      source = .data(data, offset: end)
      return data.subdata(in: data.startIndex + offset..<data.startIndex + end)
    case .pieces(let pieces, let next):
      guard next < pieces.count else { return nil }
      source = .pieces(pieces, next: next + 1)
      return pieces[next]
    case .file(let file):
      guard let piece = try file.read(upToCount: size), !piece.isEmpty else { return nil }
      return piece
    }
  }
}
