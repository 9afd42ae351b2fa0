#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct UploadResumptionHTTP2Tests {
  /// How the first request is interrupted.
  enum Interruption: CaseIterable {
    case connection, stream
  }

  private static let interim = [("upload-draft-interop-version", "6"), ("location", "/uploads/0")]

  @Test(arguments: Interruption.allCases)
  func `an upload over HTTP/2 continues at the server's offset`(_ interruption: Interruption) async throws {
    let stored = Mutex<[UInt8]>([])
    let step = Mutex(0)
    let informed = Gate()
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      while true {
        let (stream, _) = try connection.nextHead()
        let number = step.withLock { step in
          defer { step += 1 }
          return step
        }
        switch number {
        case 0:
          try connection.sendHead(stream: stream, status: 104, fields: Self.interim)
          let part = try connection.readBody(of: stream, atLeast: 100_000)
          stored.withLock { $0 += part[..<100_000] }
          try connection.raw.wait(for: informed)
          if case .connection = interruption { return }
          try connection.reset(stream: stream, code: 2)
        case 1:
          try connection.sendHead(
            stream: stream, status: 204,
            fields: [("upload-offset", "100000"), ("upload-complete", "?0")], isLast: true)
        default:
          let rest = try connection.readBody(of: stream)
          stored.withLock { $0 += rest }
          try connection.respond(stream: stream, status: 201, fields: [("upload-complete", "?1")])
        }
      }
    }
    let authority = try TestAuthority.shared().authorityFile
    let session = URLSession.forTest { $0.trustedCertificates = .file(authority) }
    final class Listener: NSObject, URLSessionTaskDelegate {
      let informed: Gate
      let versions = Log<String?>()
      init(_ informed: Gate) { self.informed = informed }
      func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
      ) { informed.open() }
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
      ) { for metric in metrics.transactionMetrics { versions.add(metric.networkProtocolName) } }
    }
    let listener = Listener(informed)
    let body = Data.pattern(count: 1_000_000)
    var request = URLRequest(url: try #require(URL(string: server.address())))
    request.httpMethod = "POST"
    let (text, response) = try await session.upload(for: request, from: body, delegate: listener)
    #expect(text == Data("ok".utf8))
    #expect((response as? HTTPURLResponse)?.statusCode == 201)
    #expect(difference(Data(stored.withLock { $0 }), body) == nil)
    #expect(listener.versions.all == ["h2", "h2", "h2"])
  }
}
#endif
