import Testing

@testable import TransferEngine

/// Tests of the value that describes how a transfer ended.
@Suite struct TransferEndTests {
  @Test func `an end with nothing special is two words, so that copies are cheap`() {
    #expect(MemoryLayout<TransferEnd>.size == 2 * MemoryLayout<Int>.size)
  }

  @Test func `each property keeps its value, and copies are independent`() {
    var end = TransferEnd()
    #expect(end.failure == nil && end.timings == nil && end.socket == nil && end.tunnelRefusal == nil)
    #expect(end.bodyHashes.isEmpty)
    end.failure = nil
    end.receivedBytes = 7
    let before = end
    end.failure = .cancelled
    end.timings = TransferTimings()
    end.tunnelRefusal = TransferHead(status: 407, version: "HTTP/1.1", block: [])
    end.bodyHashes = [.sha256: [1, 2]]
    #expect(end.failure == .cancelled && end.timings == TransferTimings() && end.receivedBytes == 7)
    #expect(end.tunnelRefusal?.status == 407 && end.bodyHashes == [.sha256: [1, 2]])
    #expect(before.failure == nil && before.timings == nil && before.bodyHashes.isEmpty)
    end.failure = nil
    #expect(end.failure == nil && end.timings != nil)
    #expect(TransferEnd(failure: .brokenProtocol).failure == .brokenProtocol)
  }
}
