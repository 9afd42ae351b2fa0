import Foundation
import TestSupport
import Testing

@testable import KennelWeb

@Suite struct WebMultipartTests {
  private struct Part: Equatable {
    var name: String
    var type: String
    var bytes = Data()
  }

  /// Returns the parts of a form that is parsed in pieces.
  private func parts(_ form: String, boundary: String = "b", pieces: (Data) -> [Data]) throws -> (
    [Part], isOver: Bool
  ) {
    var parser = try MultipartParser(boundary: boundary)
    var parts: [Part] = []
    var isOpen = false
    for piece in pieces(Data(form.utf8)) {
      for event in try parser.feed(piece) {
        switch event {
        case .part(let name, let type):
          #expect(!isOpen)
          isOpen = true
          parts.append(Part(name: name, type: type))
        case .bytes(let bytes):
          #expect(isOpen && !bytes.isEmpty)
          parts[parts.count - 1].bytes.append(bytes)
        case .endOfPart:
          #expect(isOpen)
          isOpen = false
        }
      }
    }
    return (parts, parser.isOver)
  }

  private let form =
    "preamble\r\n--b \r\nContent-Disposition: form-data; name=\"photo\"; filename=\"x; y.jpg\"\r\n"
    + "content-type: Image/JPEG; q=1\r\n\r\n\r\n--\r\n-bb\r\n-\r\n--\r\n--b\r\n"
    + "Content-Disposition: form-data; name=caption\r\n\r\n\r\n--b\r\n"
    + "Content-Disposition: form-data; name=\"a \\\"b\\\"\"\r\n\r\nx\r\n--b--\r\nepilogue"

  @Test func `a form is parsed the same way in pieces of any size`() throws {
    let complete = try parts(form) { [$0] }
    #expect(complete.isOver)
    #expect(complete.0.map(\.name) == ["photo", "caption", "a \"b\""])
    #expect(complete.0.map(\.type) == ["image/jpeg", "", ""])
    #expect(
      complete.0.map { String(decoding: $0.bytes, as: UTF8.self) } == ["\r\n--\r\n-bb\r\n-\r\n--", "", "x"])
    for length in 1...40 {
      let cut = try parts(form) { data in
        stride(from: 0, to: data.count, by: length).map { data[$0..<min($0 + length, data.count)] }
      }
      #expect(cut.0 == complete.0 && cut.isOver, "in pieces of \(length)")
    }
    for place in 1..<form.utf8.count {
      let cut = try parts(form) { [$0.prefix(place), $0.dropFirst(place)] }
      #expect(cut.0 == complete.0 && cut.isOver, "cut at \(place)")
    }
  }

  @Test func `random content is unchanged`() throws {
    var generator = SeededRandom(3)
    for _ in 0..<200 {
      let alphabet = Array("\r\n-b".utf8)
      let length = Int(generator.next() % 60)
      let content = Data((0..<length).map { _ in alphabet[Int(generator.next() % 4)] })
      // Content that contains the boundary by chance would be a different form.
      if String(decoding: Data("\r\n".utf8) + content, as: UTF8.self).contains("\r\n--b") { continue }
      let head = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n"
      var parser = try MultipartParser(boundary: "b")
      var seen = Data()
      for byte in Data(head.utf8) + content + Data("\r\n--b--".utf8) {
        for case .bytes(let bytes) in try parser.feed(Data([byte])) { seen.append(bytes) }
      }
      #expect(seen == content)
      #expect(parser.isOver)
    }
  }

  @Test func `only bytes that may be a boundary are buffered`() throws {
    var parser = try MultipartParser(boundary: "b")
    _ = try parser.feed(Data("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n".utf8))
    var count = 0
    for _ in 0..<100 {
      for case .bytes(let bytes) in try parser.feed(Data(count: 10_000)) { count += bytes.count }
    }
    #expect(count > 1_000_000 - 10)
  }

  @Test(arguments: [
    ("--b\r\n\r\nx\r\n--b--", "no name"),
    ("--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", "no name"),
    ("--bx\r\n", "not followed by a line break"),
    ("--b\r\nX: " + String(repeating: "y", count: 9000), "head that is too long"),
    (
      String(repeating: "--b\r\nContent-Disposition: form-data; name=x\r\n\r\n\r\n", count: 40),
      "too many parts"
    ),
  ]) func `an invalid form is refused`(form: String, reason: String) throws {
    var parser = try MultipartParser(boundary: "b")
    do throws(MultipartParser.Malformed) {
      _ = try parser.feed(Data(form.utf8))
      Issue.record("The form was accepted.")
    } catch {
      #expect(error.reason.contains(reason))
    }
  }

  @Test(arguments: ["", String(repeating: "x", count: 71), "a\u{7}", "ä"])
  func `an invalid boundary is refused`(boundary: String) {
    #expect(throws: MultipartParser.Malformed.self) { try MultipartParser(boundary: boundary) }
  }
}
