/// Takes back the codings of one response's body, whatever pieces it comes in, and gives decoded pieces of 64 KiB at
/// most. Knows nothing of transfers: bytes in, pieces out.
///
/// Its memory does not grow with the body: for each coding a buffer and what its library needs, and what was not
/// decoded yet of the one piece in which the consumer asked for a pause. Nothing is made before the first byte comes,
/// so a response without a body is never an error.
final class BodyDecoder {
  enum Outcome: Equatable {
    /// All that can be had from the bytes so far is given.
    case drained
    /// The same, and the consumer has asked for a pause.
    case paused
    /// The consumer has asked for a pause while there was, or may be, more: ``resume(deliver:)`` goes on.
    case kept
    /// The consumer wants no more.
    case stopped
    case failed(TransferFailure)
  }

  static let longestPiece = 64 << 10
  /// A body is encoded once. More codings than a few are a trick to multiply a bomb.
  static let mostCodings = 3

  private struct Stage {
    let coding: ContentCoding
    let decoder: any ContentDecoder
    let buffer: UnsafeMutableRawBufferPointer
    /// What has come out and was not taken yet.
    var output: Range<Int> = 0..<0
    /// The last output filled the buffer.
    var mayHaveMore = false
    var hasBegun = false
  }

  /// As they are to be taken back: the last that was applied is the first.
  private let codings: [ContentCoding]
  private var stages: [Stage] = []
  private var kept: [UInt8] = []

  /// - Parameter codings: in the order they were applied.
  init(_ codings: [ContentCoding]) { self.codings = codings.reversed() }

  deinit {
    for stage in stages { stage.buffer.deallocate() }
  }

  /// Decodes another piece of the body. Not to be called while something is kept.
  func decode(
    _ bytes: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> TransferDisposition
  ) -> Outcome {
    do {
      try makeStages()
      var input = bytes
      let outcome = try run(&input, deliver)
      if outcome == .kept { kept = Array(input) }
      return outcome
    } catch {
      return .failed(error)
    }
  }

  /// Goes on after a pause.
  func resume(deliver: (UnsafeRawBufferPointer) -> TransferDisposition) -> Outcome {
    let bytes = kept
    kept = []
    return bytes.withUnsafeBytes { decode($0, deliver: deliver) }
  }

  /// Why the body cannot have ended here; nil if it can. A body of no bytes at all is whole.
  func failureAtEnd() -> TransferFailure? {
    stages.first { $0.hasBegun && !$0.decoder.isComplete }.map { .cutShort($0.coding) }
  }

  private func makeStages() throws(TransferFailure) {
    guard stages.isEmpty else { return }
    guard codings.count <= Self.mostCodings else {
      throw TransferFailure(
        .undecodableBody,
        message: "The body is encoded \(codings.count) times; \(Self.mostCodings) times are decoded at most.")
    }
    for coding in codings {
      let decoder = try coding.makeDecoder()
      stages.append(
        Stage(
          coding: coding, decoder: decoder,
          buffer: .allocate(byteCount: Self.longestPiece, alignment: MemoryLayout<UInt>.alignment)))
    }
  }

  private func run(
    _ input: inout UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> TransferDisposition
  ) throws(TransferFailure) -> Outcome {
    let last = stages.count - 1
    while try fill(last, from: &input) {
      let piece = UnsafeRawBufferPointer(rebasing: stages[last].buffer[stages[last].output])
      stages[last].output = 0..<0
      switch deliver(piece) {
      case .proceed, .gather: continue
      case .pause: return mayHaveMore(input) ? .kept : .paused
      case .stop: return .stopped
      }
    }
    return .drained
  }

  private func mayHaveMore(_ input: UnsafeRawBufferPointer) -> Bool {
    !input.isEmpty || stages.contains { $0.mayHaveMore || !$0.output.isEmpty }
  }

  /// Gets output from a stage, out of the stages before it and the input; false when these have no more.
  private func fill(_ index: Int, from input: inout UnsafeRawBufferPointer) throws(TransferFailure) -> Bool {
    while true {
      let source = index == 0 ? input : UnsafeRawBufferPointer(rebasing: output(of: index - 1))
      if source.isEmpty, !stages[index].mayHaveMore {
        guard index > 0, try fill(index - 1, from: &input) else { return false }
        continue
      }
      let done = try stages[index].decoder.decode(source, into: stages[index].buffer)
      if index == 0 {
        input = UnsafeRawBufferPointer(rebasing: input[done.consumed...])
      } else {
        let rest = stages[index - 1].output
        stages[index - 1].output = (rest.lowerBound + done.consumed)..<rest.upperBound
      }
      stages[index].hasBegun = true
      stages[index].output = 0..<done.produced
      stages[index].mayHaveMore = done.produced == stages[index].buffer.count
      if done.produced > 0 { return true }
      // Without output, all of the source was used up: a decoder that breaks this would turn here for ever.
      guard done.consumed == source.count else { throw .corrupt(stages[index].coding, "it does not go on") }
    }
  }

  private func output(of index: Int) -> Slice<UnsafeMutableRawBufferPointer> {
    stages[index].buffer[stages[index].output]
  }
}
