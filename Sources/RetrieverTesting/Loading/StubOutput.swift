import Foundation
import Retriever

/// Reports the events of a load to the session.
///
/// It refers to the protocol object until the session stops the load.
final class StubOutput: @unchecked Sendable {
  // Unchecked because a protocol object is not Sendable. The invariant: both properties are constants, the object is
  // only passed on, and the client may be called from any thread (on Apple's platforms: from the thread of the load).
  private let object: URLProtocol
  private let client: any URLProtocolClient
  #if canImport(Darwin)
  private let runLoop = CFRunLoopGetCurrent()
  #endif

  init(_ object: URLProtocol, _ client: any URLProtocolClient) {
    self.object = object
    self.client = client
  }

  func redirect(to request: URLRequest, _ response: HTTPURLResponse) {
    report { $0.client.urlProtocol($0.object, wasRedirectedTo: request, redirectResponse: response) }
  }

  func respond(_ response: URLResponse) {
    report { $0.client.urlProtocol($0.object, didReceive: response, cacheStoragePolicy: .notAllowed) }
  }

  func deliver(_ data: Data) { report { $0.client.urlProtocol($0.object, didLoad: data) } }

  func ask(_ challenge: URLAuthenticationChallenge) {
    report { $0.client.urlProtocol($0.object, didReceive: challenge) }
  }

  func finish() { report { $0.client.urlProtocolDidFinishLoading($0.object) } }

  func fail(_ error: any Error) { report { $0.client.urlProtocol($0.object, didFailWithError: error) } }

  private func report(_ event: @escaping @Sendable (StubOutput) -> Void) {
    #if canImport(Darwin)
    CFRunLoopPerformBlock(runLoop, CFRunLoopMode.commonModes.rawValue) { event(self) }
    CFRunLoopWakeUp(runLoop)
    #else
    event(self)
    #endif
  }
}
