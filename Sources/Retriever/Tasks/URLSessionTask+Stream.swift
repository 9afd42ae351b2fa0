#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Establishing the connection of a stream task, as one of its exchanges with the server.
extension URLSessionTask {
  /// Opens a connection to the host and port of the request.
  func openConnection(_ input: TransferInput) throws(URLError) {
    guard let url = input.request.url else {
      throw URLError(
        .badURL, message: "The host name or the port of the stream task is invalid.",
        suggestion: "Use a host name or an address without a port, and a port from 1 to 65535.")
    }
    if let policy = settings.addressPolicy, let origin = Origin(url),
      let refusal = policy.refusal(host: origin.host, port: origin.port)
    {
      throw URLError(.dataNotAllowed, message: refusal)
    }
    var wanted = TransferRequest(url: CacheKey.sentForm(of: url))
    wanted.isConnection = true
    wanted.idleTimeout = Duration(seconds: settings.requestTimeout)
    wanted.deadline = input.deadline
    wanted.priority = input.priority
    authorizeForProxy(&wanted, url: url)
    do {
      start(
        .network(try session.client.take().makeTransfer(wanted, observer: self)), bodyLength: 0,
        hasBody: false)
    } catch {
      throw URLError(error, url: nil)
    }
  }

  /// Handles the end of the exchange of a stream: the connection is established, or the response is complete.
  func finishExchange(of connection: StreamConnection) {
    let socket = transferState.socket.take()
    let hasFailed = lockedState.withLock { $0.error != nil }
    if hasFailed || connection.isEnded {
      perform(lockedState.withLock { $0.machine.sinkFinished() })
    } else if let socket, let task = self as? URLSessionStreamTask {
      task.begin(socket)
    } else {
      connection.receivedBodyEnd()
      // The streams do not need the task any more.
      if (self as? URLSessionStreamTask)?.capturedError != nil {
        perform(lockedState.withLock { $0.machine.sinkFinished() })
      }
    }
  }

  /// Whether the program has closed both sides of a stream.
  var isOverForProgram: Bool {
    if case .stream(let connection) = sink { connection.isEnded } else { false }
  }
}

extension URLSessionStreamTask {
  /// The URL whose host and port the task connects to. Its scheme selects the proxy.
  static func request(_ host: String, _ port: Int) -> URLRequest {
    var request = URLRequest(url: URL(fileURLWithPath: "/"))
    request.url = url(host, port)
    return request
  }

  private static func url(_ host: String, _ port: Int) -> URL? {
    guard 1...65_535 ~= port, !host.isEmpty else { return nil }
    let isAddress = host.utf8.contains(UInt8(ascii: ":"))
    // Nothing in the name may begin another part of a URL.
    let allowed = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      case UInt8(ascii: ":"): isAddress
      default: false
      }
    }
    return allowed ? URL(string: "https://\(isAddress ? "[\(host)]" : host):\(port)/") : nil
  }
}
#endif
