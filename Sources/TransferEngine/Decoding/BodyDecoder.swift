/// Decodes the content codings of one response's body, in pieces of any size, and delivers decoded pieces of at most 64
/// KiB. It does not know about transfers: bytes in, pieces out.
///
/// Its memory does not grow with the body. It holds a buffer for each coding, the state of the decoding libraries, and
/// the undecoded part of the piece in which the consumer paused. It allocates nothing before the first byte arrives, so
/// a response without a body is never an error.
final class BodyDecoder {
  enum Outcome: Equatable {
    /// Everything that the bytes so far decode to has been delivered.
    case drained
    /// The same, and the consumer has paused.
    case paused
    /// The consumer has paused while there was, or may be, more data. Call ``resume(deliver:)`` to continue.
    case kept
    /// The consumer wants no more data.
    case stopped
    case failed(TransferFailure)
  }

  static let maximumPieceSize = 64 << 10
  /// A body is usually encoded once. Many codings are a way to multiply a decompression bomb.
  static let maximumCodings = 3

  private struct Stage {
    let coding: ContentCoding
    let decoder: any ContentDecoder
    let buffer: UnsafeMutableRawBufferPointer
    /// The output that has not been consumed yet.
    var output: Range<Int> = 0..<0
    /// Whether the last output filled the buffer.
    var mayHaveMore = false
    var hasBegun = false
  }

  /// In decoding order: the coding that was applied last comes first.
  private let codings: [ContentCoding]
  private var stages: [Stage] = []
  private var kept: [UInt8] = []

  /// - Parameter codings: The codings in the order in which they were applied.
  init(_ codings: [ContentCoding]) { self.codings = codings.reversed() }

  deinit {
    for stage in stages { stage.buffer.deallocate() }
  }

  /// Decodes another piece of the body. Do not call it while input is kept.
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

  /// Continues after a pause.
  func resume(deliver: (UnsafeRawBufferPointer) -> TransferDisposition) -> Outcome {
    let bytes = kept
    kept = []
    return bytes.withUnsafeBytes { decode($0, deliver: deliver) }
  }

  /// Returns why the body cannot end here; nil if it can. A body of zero bytes is complete.
  func failureAtEnd() -> TransferFailure? {
    stages.first { $0.hasBegun && !$0.decoder.isComplete }.map { .truncated($0.coding) }
  }

  private func makeStages() throws(TransferFailure) {
    guard stages.isEmpty else { return }
    guard codings.count <= Self.maximumCodings else {
      throw TransferFailure(
        .undecodableBody,
        message: "The body has \(codings.count) content codings; the maximum is \(Self.maximumCodings).")
    }
    for coding in codings {
      let decoder = try coding.makeDecoder()
      stages.append(
        Stage(
          coding: coding, decoder: decoder,
          buffer: .allocate(byteCount: Self.maximumPieceSize, alignment: MemoryLayout<UInt>.alignment)))
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

  /// Gets output from a stage, using the stages before it and the input. Returns false if these have no more data.
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
      // Without output, the decoder has consumed the entire source. A decoder that breaks this rule would loop forever.
      guard done.consumed == source.count else { throw .corrupt(stages[index].coding, "no progress") }
    }
  }

  private func output(of index: Int) -> Slice<UnsafeMutableRawBufferPointer> {
    stages[index].buffer[stages[index].output]
  }
}
