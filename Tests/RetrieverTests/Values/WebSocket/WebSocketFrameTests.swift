#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite struct WebSocketFrameTests {
  /// Parses bytes in pieces. Returns the frames: header and payload.
  private func parse(
    _ bytes: [UInt8], piece: Int = .max, allowsCompression: Bool = false
  ) throws -> [(WebSocketFrameHeader, [UInt8])] {
    var parser = WebSocketFrameParser(allowsCompression: allowsCompression)
    var frames: [(WebSocketFrameHeader, [UInt8])] = []
    var payload: [UInt8] = []
    var header: WebSocketFrameHeader?
    for start in stride(from: 0, to: bytes.count, by: min(piece, max(1, bytes.count))) {
      try bytes[start..<min(bytes.count, start + min(piece, bytes.count))].withUnsafeBytes { input in
        var rest = input
        while let event = try parser.next(&rest) {
          switch event {
          case .header(let start): header = start
          case .payload(let part): payload += part
          case .end:
            frames.append((try #require(header), payload))
            payload = []
          }
        }
        #expect(rest.isEmpty)
      }
    }
    #expect(parser.isAtFrameBoundary)
    return frames
  }

  private func failure(_ bytes: [UInt8], allowsCompression: Bool = false) -> WebSocketFailure? {
    do {
      _ = try parse(bytes, piece: 1, allowsCompression: allowsCompression)
      return nil
    } catch {
      return error as? WebSocketFailure
    }
  }

  @Test func `the examples of RFC 6455 are parsed`() throws {
    let hello = Array("Hello".utf8)
    var frames = try parse([0x81, 0x05] + hello)
    #expect(frames[0].0 == WebSocketFrameHeader(opcode: .text, length: 5))
    #expect(frames[0].1 == hello)
    frames = try parse([0x01, 0x03] + hello.prefix(3) + [0x80, 0x02] + hello.suffix(2))
    #expect(frames.map(\.0.opcode) == [.text, .continuation])
    #expect(frames.map(\.0.isFinal) == [false, true])
    #expect(try parse([0x89, 0x05] + hello)[0].0.opcode == .ping)
    let medium = [UInt8](repeating: 7, count: 256)
    #expect(try parse([0x82, 0x7E, 0x01, 0x00] + medium)[0].1 == medium)
    let long = [UInt8](repeating: 9, count: 65536)
    #expect(try parse([0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + long)[0].1 == long)
  }

  @Test(arguments: [1, 2, 3, 5, 7, 64, 1000])
  func `frames are the same in pieces of any size`(piece: Int) throws {
    let lengths = [0, 1, 125, 126, 127, 65535, 65536, 70000]
    let sent = lengths.map { TestFrame(2, Data.pattern(count: $0)) }
    let frames = try parse(sent.flatMap(\.bytes), piece: piece)
    #expect(frames.map(\.0.length) == lengths)
    #expect(frames.map(\.1) == sent.map(\.payload))
  }

  @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
  func `an unknown opcode is a protocol error`(opcode: UInt8) {
    #expect(failure(TestFrame(opcode, []).bytes)?.code == .protocolError)
  }

  @Test func `reserved bits are a protocol error`() {
    for reserved in 1...7 as ClosedRange<UInt8> {
      let frame = TestFrame(1, [], reserved: reserved).bytes
      #expect(failure(frame)?.code == .protocolError)
      #expect((failure(frame, allowsCompression: true) == nil) == (reserved == 4))
    }
    for opcode in [0, 8, 9, 10] as [UInt8] {
      #expect(failure(TestFrame(opcode, [], reserved: 4).bytes, allowsCompression: true) != nil)
    }
  }

  @Test func `a masked frame of a server is a protocol error`() {
    #expect(
      failure([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])?.code == .protocolError)
  }

  @Test func `control frames are short and not fragmented`() {
    for opcode in [8, 9, 10] as [UInt8] {
      #expect(failure(TestFrame(opcode, Data(count: 125)).bytes) == nil)
      // The first two bytes are enough.
      #expect(failure(Array(TestFrame(opcode, Data(count: 126)).bytes.prefix(2)))?.code == .protocolError)
      #expect(failure(TestFrame(opcode, [], isFinal: false).bytes)?.code == .protocolError)
    }
  }

  @Test func `a length takes no more bytes than necessary, and 63 bits at most`() {
    #expect(failure([0x82, 126, 0, 125] + [UInt8](repeating: 0, count: 125))?.code == .protocolError)
    #expect(failure([0x82, 126, 0, 126] + [UInt8](repeating: 0, count: 126)) == nil)
    #expect(failure([0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff])?.code == .protocolError)
    #expect(failure([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0])?.code == .protocolError)
  }

  @Test func `the example of a masked frame is written`() {
    let key = [0x37, 0xfa, 0x21, 0x3d].withUnsafeBytes { _ in
      [0x37, 0xfa, 0x21, 0x3d].map { UInt8($0) }.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
    let header = WebSocketFrameWriter.header(WebSocketFrameHeader(opcode: .text, length: 5), key: key)
    #expect(header == [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d])
    #expect(masked(Array("Hello".utf8), key, offset: 0) == [0x7f, 0x9f, 0x4d, 0x51, 0x58])
  }

  private func masked(_ bytes: [UInt8], _ key: UInt32, offset: Int) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: bytes.count)
    bytes.withUnsafeBytes { input in
      output.withUnsafeMutableBytes { WebSocketFrameWriter.mask(input, into: $0, key: key, offset: offset) }
    }
    return output
  }

  @Test func `masking agrees with its definition at any offset and length`() {
    var random = SeededRandom(7)
    for _ in 0..<2000 {
      let key = UInt32.random(in: .min ... .max, using: &random)
      let bytes = (0..<Int.random(in: 0...70, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let offset = Int.random(in: 0...20, using: &random)
      let keys = withUnsafeBytes(of: key) { Array($0) }
      let expected = bytes.enumerated().map { $1 ^ keys[($0 + offset) % 4] }
      #expect(masked(bytes, key, offset: offset) == expected)
    }
  }

  @Test func `random bytes never do more than fail`() {
    var random = SeededRandom(8)
    for _ in 0..<5000 {
      let bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
      var parser = WebSocketFrameParser(allowsCompression: true)
      var assembler = WebSocketMessageAssembler(maximumSize: 100, compression: PermessageDeflate())
      bytes.withUnsafeBytes { input in
        var rest = input
        while let event = try? parser.next(&rest), (try? assembler.take(event)) != nil {}
      }
    }
  }
}
#endif
