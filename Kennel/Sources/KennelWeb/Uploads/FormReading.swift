import Foundation
import HTTPService
import KennelStorage

/// Reads an upload form incrementally. The bytes of the photo are written to the disk; the caption is short and stays
/// in memory.
struct FormReading: Sendable {
  private enum Part: Sendable {
    case photo
    case caption
    case place
    /// A part that is ignored.
    case other
  }

  /// The maximum number of bytes of a form in addition to the photo.
  static let overhead = 256 << 10
  private static let maximumCaptionSize = 16 << 10
  private static let maximumPlaceSize = 16

  private var parser: MultipartParser
  private var part: Part?
  private var hasPhoto = false
  private var captionBytes: Data?
  private var placeBytes: Data?
  private var otherCount = 0

  init(boundary: String) throws(Problem) {
    do throws(MultipartParser.Malformed) {
      parser = try MultipartParser(boundary: boundary)
    } catch {
      throw .badRequest(error.reason)
    }
  }

  /// The text of the caption part, or nil if there is none.
  var caption: String? {
    get throws(Problem) {
      guard let captionBytes else { return nil }
      guard let text = String(bytes: captionBytes, encoding: .utf8) else {
        throw .badRequest("The caption is not valid UTF-8. Send UTF-8.")
      }
      return text
    }
  }

  /// Whether others get the place, as the form states it, or nil if it does not.
  var place: String? { placeBytes.map { String(decoding: $0, as: UTF8.self) } }

  // Swift 6.3.1 ends with a signal when it optimizes a function that contains this one.
  @inline(never)
  mutating func take(_ bytes: Data, into upload: PhotoUpload) async throws {
    let events: [MultipartParser.Event]
    do throws(MultipartParser.Malformed) {
      events = try parser.feed(bytes)
    } catch {
      throw Problem.badRequest(error.reason)
    }
    for event in events {
      switch event {
      case .part(let name, _): try begin(name)
      case .bytes(let bytes): try await take(bytes, of: part ?? .other, into: upload)
      case .endOfPart: part = nil
      }
    }
  }

  private mutating func begin(_ name: String) throws(Problem) {
    switch name {
    case "photo":
      if hasPhoto { throw .badRequest("The form has two photos. Send one at a time.") }
      hasPhoto = true
      part = .photo
    case "caption":
      part = .caption
      captionBytes = Data()
    case "place":
      part = .place
      placeBytes = Data()
    default: part = .other
    }
  }

  private mutating func take(_ bytes: Data, of part: Part, into upload: PhotoUpload) async throws {
    switch part {
    case .photo: try await upload.append(bytes)
    case .caption:
      captionBytes?.append(bytes)
      if (captionBytes?.count ?? 0) > Self.maximumCaptionSize {
        throw Problem(.unprocessableContent, "The caption is too long. Make it shorter.")
      }
    case .place:
      placeBytes?.append(bytes)
      if (placeBytes?.count ?? 0) > Self.maximumPlaceSize {
        throw Problem(.unprocessableContent, "The part “place” must be shared or private.")
      }
    case .other:
      otherCount += bytes.count
      guard otherCount <= Self.overhead else {
        throw Problem(
          .contentTooLarge,
          "The form has more than \(Self.overhead.inBinaryUnits) in addition to the photo. Send only the photo and the caption."
        )
      }
    }
  }

  /// - Throws: a problem if the form is incomplete or has no photo.
  func finish() throws(Problem) {
    guard parser.isOver else { throw .badRequest("The form ends before its last boundary. Send it again.") }
    guard hasPhoto else {
      throw Problem(.unprocessableContent, "The form has no photo. Send it in a part named photo.")
    }
  }
}
