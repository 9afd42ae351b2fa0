#if !canImport(Darwin)

import Synchronization

/// The bytes of a file, which is opened and read when the first chunk is requested.
final class FileByteSource: ByteChunkSource {
  private let pump: FilePump
  private let channel: BodyChannel
  private let hasStarted = Atomic(false)

  init(_ origin: FilePump.Origin) {
    let pump = FilePump(origin)
    self.pump = pump
    channel = BodyChannel(onDemand: { pump.resume() }, onTermination: { pump.stop() })
  }

  func nextChunk(
    recycling spent: ByteChunk?, isolation: isolated (any Actor)?
  ) async throws -> ByteChunk? {
    if !hasStarted.exchange(true, ordering: .relaxed) { pump.start(feeding: channel) }
    return try await channel.nextChunk(recycling: spent, isolation: isolation)
  }

  func terminate() {
    channel.terminate()
  }
}

#endif
