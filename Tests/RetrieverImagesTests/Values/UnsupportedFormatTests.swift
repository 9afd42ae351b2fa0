import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct UnsupportedFormatTests {
  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static let files: [(name: String, bytes: [UInt8])] = [
    ("a BMP image", text("BM") + [70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0]),
    ("a TIFF image or a raw image of a camera", [0x49, 0x49, 42, 0, 8, 0, 0, 0, 9, 0, 1, 2]),
    ("a raw image of a camera", [0x49, 0x49, 42, 0, 16, 0, 0, 0] + text("CR") + [2, 0]),
    ("a raw image of a camera", text("FUJIFILMCCD-RAW 0201")),
    ("an icon (ICO)", [0, 0, 1, 0, 1, 0, 16, 16]), ("a JPEG XL image", [0xFF, 0x0A, 0, 0]),
    ("a JPEG XL image", [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10, 0, 0]),
    ("a JPEG 2000 image", [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 13, 10, 0x87, 10, 0, 0]),
    ("an SVG image", text("<svg xmlns='http://www.w3.org/2000/svg'/>")),
    ("an SVG image", text("<?xml version='1.0'?>\n<!-- A dog -->\n<svg width='9'/>")),
    ("a Photoshop image (PSD)", text("8BPS") + [0, 1]), ("a PDF document", text("%PDF-1.7\n")),
    ("a video (MP4)", [0, 0, 0, 32] + text("ftypisom") + [0, 0, 2, 0]),
    ("a QuickTime video", [0, 0, 0, 20] + text("ftypqt  ") + [0, 0, 2, 0]),
    ("a video (AVI)", text("RIFF1234AVI LIST")), ("a web page (HTML)", text("<!DOCTYPE html><html>")),
    ("a Netpbm image", text("P6\n2 2\n255\n")), ("a ZIP archive", [0x50, 0x4B, 3, 4, 20, 0]),
    ("a raw image of a camera", [0, 0, 0, 24] + text("ftypcrx ") + [0, 0, 0, 1]),
    ("a HEIC image with an invalid beginning", [0xFF, 0, 0, 24] + text("ftypheic") + [0, 0, 0, 0]),
    ("an AVIF image with an invalid beginning", [0xFF, 0, 0, 24] + text("ftypavif") + [0, 0, 0, 0]),
  ]

  @Test func `an error names the format of the data, in pieces of any size`() {
    for (name, bytes) in Self.files {
      let error = decode(Data(bytes)).error
      #expect(error?.code == .unknownFormat, "\(name)")
      let isNamed =
        error?.description.hasPrefix("This is \(name), which is not supported. Use a JPEG, PNG") == true
      #expect(isNamed, "\(error?.description ?? name)")
      if !MovieMetadata.isMovie(Data(bytes)) {
        let stripping = #expect(throws: ImageError.self) { try StrippedImage(data: Data(bytes)) }
        #expect(stripping == error)
      }
      #expect(decode(Data(bytes), cut: .pieces(of: 1)).error == error)
      // More data makes no difference.
      let longer = Data(bytes + [UInt8](repeating: 0x41, count: 3_000))
      #expect(decode(longer).error == error && decode(longer, cut: .pieces(of: 100)).error == error)
    }
  }

  @Test func `data without a known signature has no name`() {
    for text in ["hello", "<p>A dog</p>", "BMW, a car maker", "RIFF1234ABCD", "P7", "\u{1}\u{2}"] {
      let error = decode(Data(text.utf8)).error
      #expect(
        error?.description.hasPrefix("The image format is not supported. Use a JPEG") == true, "\(text)")
      #expect(decode(Data(text.utf8), cut: .pieces(of: 1)).error == error)
    }
    let xml = Data("<?xml version='1.0'?><feed/>".utf8)
    #expect(decode(xml).error?.description.hasPrefix("This is an XML file") == true)
    let long = decode(xml + Data(repeating: 0x20, count: 2_000)).error
    #expect(long?.description.hasPrefix("This is an XML file") == true)
  }

  private func jpeg(_ change: (inout Data, Int) -> Void) throws -> Data {
    var data = try JPEGFixture.baseline()
    let frame = try #require(data.range(of: Data([0xFF, 0xC0])))
    change(&data, frame.lowerBound)
    return data
  }

  @Test func `a kind of JPEG that is not supported is named`() throws {
    // After the marker come the length, the precision and the height.
    let files: [(String, Data)] = [
      ("lossless coding", try jpeg { $0[$1 + 1] = 0xC3 }),
      ("hierarchical coding", try jpeg { $0[$1 + 1] = 0xC5 }),
      ("hierarchical coding", try jpeg { $0[$1 + 1] = 0xDE }),
      ("arithmetic coding", try jpeg { $0[$1 + 1] = 0xC9 }),
      ("JPEG-LS coding", try jpeg { $0[$1 + 1] = 0xF7 }),
      ("samples of 12 bits", try jpeg { $0[$1 + 4] = 12 }),
      ("a height after the pixels (DNL)", try jpeg { ($0[$1 + 5], $0[$1 + 6]) = (0, 0) }),
    ]
    for (name, data) in files {
      for cut in [Cut.onePiece, .pieces(of: 1)] {
        let error = decode(data, cut: cut).error
        #expect(error == ImageError(.unsupported, "The JPEG image uses an unsupported feature: \(name)."))
      }
      #expect(throws: ImageError.self) { try UIImage(validating: data) }
    }
    let empty = try jpeg { ($0[$1 + 7], $0[$1 + 8]) = (0, 0) }
    #expect(decode(empty).error?.code == .corrupt)
  }
}
