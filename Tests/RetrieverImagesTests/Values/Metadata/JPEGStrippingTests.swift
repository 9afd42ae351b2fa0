import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct JPEGStrippingTests {
  private func strip(_ data: Data) throws -> Data { try StrippedImage(data: data).data() }

  private func contains(_ data: Data, _ text: String) -> Bool { data.range(of: Data(text.utf8)) != nil }

  @Test func `a JPEG without its end marker is not copied, because appended data looks like its pixels`()
    throws
  {
    for jpeg in [try JPEGFixture.baseline(), try JPEGFixture.progressive()] {
      let cut = jpeg.dropLast(2)
      for data in [cut, cut + Data("secret".utf8), cut + Data([0xFF, 0xFE, 0, 1] + Array("secret".utf8))] {
        let error = #expect(throws: ImageError.self) { try StrippedImage(data: data) }
        #expect(error?.code == .unsupported)
      }
      #expect(try strip(jpeg + Data("secret".utf8)) == jpeg)
    }
  }

  @Test func `segments of a JPEG that no decoder needs are removed`() throws {
    let hidden = Data(JPEGWriting.segment(0xDC, Array("secret".utf8)))
    let unknown = Data(JPEGWriting.segment(0xF7, Array("secret".utf8)))
    let lines = Data(JPEGWriting.segment(0xDC, [0, 53]))
    for jpeg in [try JPEGFixture.baseline(), try JPEGFixture.progressive()] {
      let scan = try #require(jpeg.range(of: Data([0xFF, 0xDA]))).lowerBound
      let end = jpeg.count - 2
      func adding(_ segment: Data, at place: Int) -> Data { jpeg[..<place] + segment + jpeg[place...] }
      let tolerated = adding(hidden, at: scan)
      #expect(decode(tolerated).error == nil && decode(tolerated).pixels == decode(jpeg).pixels)
      for data in [tolerated, adding(hidden, at: end), adding(unknown, at: scan)] {
        #expect(try strip(data) == jpeg)
        #expect(try StrippedImage(data: data).removed == [.otherData])
      }
      let counted = adding(lines, at: end)
      #expect(try strip(counted) == counted && StrippedImage(data: counted).removed.isEmpty)
    }
  }

  @Test func `bytes around a segment that is removed do not become part of the pixels`() throws {
    let comment = Data(JPEGWriting.segment(0xFE, Array("secret".utf8)))
    let table = Data(JPEGWriting.segment(0xDD, [0, 0]))
    let fill = Data([0xFF, 0xFF, 0xFF])
    let loose = Data([0x2F, 0xF8, 0xFF, 0x00, 0xFF, 0xD1]) + Data("secret".utf8)
    for jpeg in [try JPEGFixture.baseline(), try JPEGFixture.progressive()] {
      let end = jpeg.count - 2
      func adding(_ bytes: Data, fill: Data = Data()) -> Data { jpeg[..<end] + bytes + fill + jpeg[end...] }
      for bytes in [comment, fill + comment, comment + loose, fill + comment + loose + comment + loose] {
        let data = adding(bytes)
        #expect(try strip(data) == jpeg)
      }
      // What the pixels need remains with its fill bytes.
      #expect(try strip(adding(fill + table + loose, fill: fill)) == adding(fill + table, fill: fill))
    }
    // Such bytes after a comment were taken for a marker in the copy.
    let jpeg = try JPEGFixture.baseline()
    let inside = jpeg[..<(jpeg.count - 9)] + fill + comment + Data([0x2F, 0xF8]) + jpeg[(jpeg.count - 9)...]
    let copy = try strip(inside)
    #expect(try strip(copy) == copy)
  }

  @Test func `of an Adobe segment of a JPEG, only its fields remain`() throws {
    for jpeg in [try JPEGFixture.baseline(), try JPEGFixture.progressive()] {
      let fields = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1]
      let data = JPEGFixture.adding(fields + Array("secret".utf8), marker: 0xEE, to: jpeg)
      let result = try strip(data)
      #expect(result.count == data.count - 6 && result.range(of: Data(fields)) != nil)
      #expect(!contains(result, "secret") && decode(result).pixels == decode(data).pixels)
      #expect(try StrippedImage(data: data).removed == [.otherData])
      #expect(try strip(result) == result && StrippedImage(data: result).removed.isEmpty)
    }
  }

  @Test func `a thumbnail in a JFIF segment is removed`() throws {
    let jpeg = try JPEGFixture.baseline()
    let plain = JPEGFixture.adding(
      Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0], marker: 0xE0, to: jpeg)
    let data = JPEGFixture.adding(
      Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 1, 1, 9, 9, 9], marker: 0xE0, to: jpeg)
    // The encoder writes a JFIF segment too. Only the first one remains.
    #expect(try strip(data).count == strip(plain).count)
    #expect(try StrippedImage(data: data).removed == [.thumbnail])
    // A second segment with a thumbnail stands behind the first one.
    let second = JPEGFixture.adding(
      Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0], marker: 0xE0, to: data)
    #expect(try StrippedImage(data: second).removed == [.thumbnail])
    #expect(try strip(second) == strip(plain))
  }
}
