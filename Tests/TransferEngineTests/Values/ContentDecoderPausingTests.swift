import TestSupport
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct ContentDecoderPausingTests {
  @Test(arguments: Encoded.Form.allCases) func aPauseAfterEachPieceLosesNothing(form: Encoded.Form) throws {
    let bytes = try Encoded.encode(Encoded.longBody, form)
    for size in [1, 999, bytes.count] {
      let run = DecodingRun([form.coding])
      run.pausesAfterPiece = { true }
      #expect(run.feed(bytes.pieces(of: size)).failure == nil)
      #expect(difference(run.output, Encoded.longBody) == nil)
      #expect(run.pauses >= 4)
    }
  }

  @Test(arguments: 0..<16) func pausesAnywhereLoseNothing(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let forms = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
      Encoded.Form.allCases.randomElement(using: &random)
    }
    let bytes = try forms.reduce(Encoded.longBody) { try Encoded.encode($0, $1) }
    let run = DecodingRun(forms.map(\.coding))
    run.pausesAfterPiece = { Bool.random(using: &random) }
    #expect(run.feed(bytes.pieces(of: 1 + Int(seed) * 977)).failure == nil)
    #expect(difference(run.output, Encoded.longBody) == nil)
  }

  @Test func `nothing is delivered during a pause`() throws {
    let bytes = try Encoded.encode([UInt8](repeating: 0, count: 1 << 20), .gzip)
    let decoder = BodyDecoder([.gzip])
    var total = 0
    func take(_ piece: UnsafeRawBufferPointer) -> TransferDisposition {
      total += piece.count
      return .pause
    }
    #expect(bytes.withUnsafeBytes { decoder.decode($0, deliver: take) } == .kept)
    for step in 2..<16 {
      #expect(total == (step - 1) * BodyDecoder.maximumPieceSize)
      #expect(decoder.resume(deliver: take) == .kept)
    }
    // The last piece is full too, so one more call is needed to find the end.
    while decoder.resume(deliver: take) == .kept {}
    #expect(total == 1 << 20)
    #expect(decoder.failureAtEnd() == nil)
  }

  @Test func `a consumer that stops receives nothing more`() throws {
    let bytes = try Encoded.encode(Encoded.longBody, .zstandard)
    let decoder = BodyDecoder([.zstandard])
    var pieces = 0
    let outcome = bytes.withUnsafeBytes { bytes in
      decoder.decode(bytes) { _ in
        pieces += 1
        return .stop
      }
    }
    #expect(outcome == .stopped)
    #expect(pieces == 1)
  }
}
