import Foundation
import KennelModel
import KennelStorage

/// Sends uploads in parts, as a client does, and prints what was acknowledged.
struct Uploader {
  let store: KennelStore
  let user: User
  let photo: Data

  /// Goes on with the uploads of earlier runs, whose names are on standard input, then begins others.
  func run(_ seed: UInt64) async throws {
    while let line = readLine(), !line.isEmpty {
      let words = line.split(separator: " ").map(String.init)
      try await send(words[0], caption: words[1])
    }
    for number in 0... {
      let caption = "\(seed)/\(number)"
      let upload = try await store.uploads.begin(
        byteCount: bytes(caption).count, details: UploadDetails(caption: caption), by: user.id)
      say("begun \(upload.name) \(caption)")
      try await send(upload.name, caption: caption)
    }
  }

  /// Returns a photo that is different for each caption: it has the caption as a comment.
  private func bytes(_ caption: String) -> Data {
    let text = Data(caption.utf8)
    return photo.prefix(2) + [0xFF, 0xFE, 0, UInt8(text.count + 2)] + text + photo.dropFirst(2)
  }

  private func send(_ name: String, caption: String) async throws {
    let upload = try await store.uploads.upload(name, of: user.id)
    if let post = upload.post { return say("posted \(name) \(post)") }
    let open = try await store.uploads.open(upload)
    say("found \(name) \(open.offset)")
    let bytes = bytes(caption)
    while !open.isComplete {
      try await open.append(bytes.dropFirst(open.offset).prefix(200))
      say("has \(name) \(try await open.sync())")
    }
    say("posted \(name) \(try await store.uploads.finish(open).id)")
  }
}
