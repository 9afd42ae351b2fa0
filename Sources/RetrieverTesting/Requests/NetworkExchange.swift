import Foundation
import Retriever

/// An exchange with the network, for recordings.
struct NetworkExchange: Sendable {
  /// How much of a response's body is kept.
  static let maximumBodyBytes = 32 << 20

  let request: ReceivedRequest
  let start: Date
  var response: HTTPURLResponse?
  var body = Data()
  var bodyLength: Int64 = 0
  var error: URLError?

  init(request: ReceivedRequest, start: Date) {
    self.request = request
    self.start = start
  }
}
