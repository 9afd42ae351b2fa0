import Foundation
import TestSupport
import Testing

@testable import TransferEngine

/// Tests of a transfer that its observer ends inside a callback.
@Suite(.timeLimit(.minutes(5))) struct TransferStopTests {
  enum Moment: CaseIterable {
    case head
    case body
  }

  @Test(arguments: Moment.allCases)
  func `over HTTP 2 the stream is reset immediately`(_ moment: Moment) async throws {
    let wasReset = Gate()
    let server = try HTTP2FaultServer { connection in
      // If the connection ends, the server notices as well.
      defer { wasReset.open() }
      try connection.handshake()
      let stream = try connection.nextRequest()
      try connection.sendHead(stream: stream)
      try connection.sendData(stream: stream, "woof".utf8)
      while let frame = try connection.nextFrame() {
        if frame.kind == .resetStream { wasReset.open() }
      }
    }
    let observer = RecordingObserver(
      onHead: { _ in moment == .head ? .stop : .proceed }, onBytes: { _ in .stop })
    var options = TransferClientOptions()
    options.trust = .file(path: try TestAuthority.shared().authorityFile.path)
    let client = try TransferClient(options: options)
    let record = try await client.run(TransferRequest(url: server.address()), observer: observer)
    #expect(record.failure?.code == .cancelled)
    #expect(record.heads.first?.version.hasPrefix("HTTP/2") == true)
    #expect(await wasReset.wait(within: .seconds(5)))
  }
}
