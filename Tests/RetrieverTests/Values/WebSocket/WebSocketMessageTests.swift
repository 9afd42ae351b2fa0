#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

@Suite struct WebSocketMessageTests {
  private typealias Output = WebSocketMessageAssembler.Output

  private func assemble(
    _ frames: [TestFrame], limit: Int = 1 << 20, compression: PermessageDeflate? = nil, piece: Int = .max
  ) -> (outputs: [Output], failure: WebSocketFailure?) {
    var parser = WebSocketFrameParser(allowsCompression: compression != nil)
    var assembler = WebSocketMessageAssembler(maximumSize: limit, compression: compression)
    var outputs: [Output] = []
    var bytes = frames.flatMap(\.bytes)[...]
    do {
      while !bytes.isEmpty {
        let part = Array(bytes.prefix(piece))
        bytes = bytes.dropFirst(part.count)
        try part.withUnsafeBytes { input in
          var rest = input
          while let event = try parser.next(&rest) {
            if let output = try assembler.take(event) { outputs.append(output) }
          }
        }
      }
      return (outputs, nil)
    } catch {
      return (outputs, error as? WebSocketFailure)
    }
  }

  private func text(_ text: String) -> Output { .message(.init(isText: true, bytes: Data(text.utf8))) }

  @Test func `fragments are joined, with control frames between them`() {
    let frames = [
      TestFrame.text("Hel", isFinal: false), TestFrame(9, "a".utf8), TestFrame(0, "l".utf8, isFinal: false),
      TestFrame(10, "b".utf8), TestFrame(0, "o".utf8),
    ]
    for piece in [1, 2, .max] {
      let result = assemble(frames, piece: piece)
      #expect(result.outputs == [.ping(Array("a".utf8)), .pong(Array("b".utf8)), text("Hello")])
    }
  }

  @Test func `frames in the wrong order are a protocol error`() {
    #expect(assemble([TestFrame(0, [])]).failure?.code == .protocolError)
    #expect(assemble([.text("a", isFinal: false), .text("b")]).failure?.code == .protocolError)
  }

  @Test func `a character may be split, but the text must be valid`() {
    let bytes = Array("κόσμε🐕".utf8)
    for cut in 0...bytes.count {
      let frames = [TestFrame(1, bytes[..<cut], isFinal: false), TestFrame(0, bytes[cut...])]
      #expect(assemble(frames, piece: 1).outputs == [text("κόσμε🐕")])
    }
    #expect(assemble([TestFrame(1, bytes.dropLast())]).failure?.code == .invalidText)
    // Found before the end of the message.
    #expect(assemble([TestFrame(1, [0xed, 0xa0], isFinal: false)]).failure?.code == .invalidText)
    #expect(assemble([TestFrame(2, [0xed, 0xa0])]).failure == nil)
  }

  @Test func `validation agrees with the standard library`() {
    var random = SeededRandom(3)
    let bytes: [UInt8] = [
      0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0,
      0xf1, 0xf4, 0xf5, 0xff,
    ]
    for _ in 0..<100_000 {
      let sample = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        bytes.randomElement(using: &random) ?? 0
      }
      var validator = UTF8Validator()
      let cut = Int.random(in: 0...sample.count, using: &random)
      let isValid =
        sample[..<cut].withUnsafeBytes { validator.append($0) }
        && sample[cut...].withUnsafeBytes { validator.append($0) } && validator.isAtCharacterBoundary
      #expect(isValid == (String(validating: sample, as: UTF8.self) != nil))
    }
  }

  @Test func `a message larger than the limit is rejected at its header`() {
    #expect(assemble([TestFrame(2, Data(count: 100))], limit: 100).failure == nil)
    var parser = WebSocketFrameParser()
    var assembler = WebSocketMessageAssembler(maximumSize: 100)
    let header: [UInt8] = [0x82, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
    let failure = header.withUnsafeBytes { input -> WebSocketFailure? in
      var rest = input
      do {
        if let event = try parser.next(&rest) { _ = try assembler.take(event) }
        return nil
      } catch {
        return error as? WebSocketFailure
      }
    }
    #expect(failure?.code == .messageTooBig)
    let fragments = [TestFrame(2, Data(count: 60), isFinal: false), TestFrame(0, Data(count: 41))]
    #expect(assemble(fragments, limit: 100).failure?.code == .messageTooBig)
  }

  // MARK: Close frames

  @Test(
    arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4999]
      as [UInt16])
  func `a valid close code is accepted`(code: UInt16) {
    #expect(
      assemble([.close(code, "reason")]).outputs == [.close(.init(code: code, reason: Array("reason".utf8)))])
  }

  @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16])
  func `an invalid close code is a protocol error`(code: UInt16) {
    #expect(assemble([.close(code)]).failure?.code == .protocolError)
  }

  @Test func `a Close frame may be empty, but not hold half a code or an invalid reason`() {
    #expect(assemble([.close(nil)]).outputs == [.close(.init(code: nil))])
    #expect(assemble([TestFrame(8, [3])]).failure?.code == .protocolError)
    #expect(assemble([TestFrame(8, [3, 232, 0xff])]).failure?.code == .invalidText)
    #expect(assemble([TestFrame(8, [3, 232, 0xc3])]).failure?.code == .invalidText)
  }

  @Test func `a reason is shortened to 123 bytes of complete characters`() {
    let reason = WebSocketClosing(sending: 1000, reason: Data(String(repeating: "é", count: 100).utf8)).reason
    #expect(String(decoding: reason, as: UTF8.self) == String(repeating: "é", count: 61))
    #expect(WebSocketClosing(sending: 1005, reason: Data("x".utf8)) == .init(code: nil))
    #expect(WebSocketClosing(sending: -1, reason: nil) == .init(code: nil))
    #expect(WebSocketClosing(sending: 4001, reason: nil).payload == [0x0f, 0xa1])
  }

  // MARK: Compression

  private func compressed(_ payload: [UInt8]) -> TestFrame { TestFrame(1, payload, reserved: 4) }

  @Test func `the examples of RFC 7692 are inflated`() {
    let hello: [UInt8] = [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]
    func check(_ frames: [TestFrame], _ texts: [String], sourceLocation: SourceLocation = #_sourceLocation) {
      for piece in [1, 3, .max] {
        let result = assemble(frames, compression: PermessageDeflate(), piece: piece)
        #expect(result.outputs == texts.map(text), sourceLocation: sourceLocation)
        #expect(result.failure == nil, sourceLocation: sourceLocation)
      }
    }
    check([compressed(hello)], ["Hello"])
    check(
      [TestFrame(1, hello.prefix(3), isFinal: false, reserved: 4), TestFrame(0, hello.dropFirst(3))],
      ["Hello"])
    check([compressed(hello), compressed([0xf2, 0x00, 0x11, 0x00, 0x00])], ["Hello", "Hello"])
    let stored: [UInt8] = [0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00]
    check([compressed(stored)], ["Hello"])
    let final: [UInt8] = [0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00]
    check([compressed(final), compressed(hello), compressed(final)], ["Hello", "Hello", "Hello"])
    check(
      [compressed([0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00])], ["Hello"])
    check([compressed(hello), .text("plain"), compressed([0x00])], ["Hello", "plain", ""])
  }

  @Test func `a window that is not kept does not serve the next message`() {
    var agreement = PermessageDeflate()
    agreement.serverHasNoContext = true
    let frames = [
      compressed([0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]), compressed([0xf2, 0x00, 0x11, 0x00, 0x00]),
    ]
    let result = assemble(frames, compression: agreement)
    #expect(result.outputs == [text("Hello")])
    #expect(result.failure?.code == .invalidText)
  }

  @Test func `data that cannot be inflated, or inflates to invalid text, is rejected`() throws {
    #expect(assemble([compressed([0xff, 0xff, 0xff])], compression: .init()).failure?.code == .invalidText)
    let deflater = try MessageDeflater(windowBits: 15, keepsWindow: true)
    let bytes = try [0xff as UInt8, 0xfe].withUnsafeBytes { try deflater.append($0, isLast: true) }
    #expect(assemble([compressed(bytes)], compression: .init()).failure?.code == .invalidText)
  }

  @Test func `a decompression bomb is rejected at the limit`() throws {
    let deflater = try MessageDeflater(windowBits: 15, keepsWindow: true)
    let bomb = try Data(count: 50 << 20).withUnsafeBytes { try deflater.append($0, isLast: true) }
    #expect(bomb.count < 100_000)
    let result = assemble(
      [TestFrame(2, bomb, reserved: 4)], limit: 1 << 20, compression: .init(), piece: 1000)
    #expect(result.failure?.code == .messageTooBig)
    let exact = try MessageDeflater(windowBits: 15, keepsWindow: true)
    let fits = try Data(count: 1 << 20).withUnsafeBytes { try exact.append($0, isLast: true) }
    #expect(assemble([TestFrame(2, fits, reserved: 4)], limit: 1 << 20, compression: .init()).failure == nil)
  }

  @Test(arguments: [9, 10, 15], [true, false])
  func `deflated messages are inflated again, in parts of any size`(bits: Int, keepsWindow: Bool) throws {
    var random = SeededRandom(UInt64(bits))
    let deflater = try MessageDeflater(windowBits: bits, keepsWindow: keepsWindow)
    let inflater = try MessageInflater(keepsWindow: keepsWindow)
    for _ in 0..<60 {
      let alphabet = UInt8.random(in: 0...255, using: &random)
      let message = (0..<Int.random(in: 0...40_000, using: &random)).map { _ in
        UInt8.random(in: 0...alphabet, using: &random)
      }
      let cut = Int.random(in: 0...message.count, using: &random)
      var deflated = try message[..<cut].withUnsafeBytes { try deflater.append($0, isLast: false) }
      deflated += try message[cut...].withUnsafeBytes { try deflater.append($0, isLast: true) }
      var inflated: [UInt8] = []
      var rest = deflated[...]
      while !rest.isEmpty {
        let part = Array(rest.prefix(Int.random(in: 1...3000, using: &random)))
        rest = rest.dropFirst(part.count)
        #expect(
          try part.withUnsafeBytes {
            try inflater.append($0) {
              inflated += $0; return true
            }
          })
      }
      #expect(
        try inflater.endMessage {
          inflated += $0; return true
        })
      #expect(inflated == message)
    }
  }
}
#endif
