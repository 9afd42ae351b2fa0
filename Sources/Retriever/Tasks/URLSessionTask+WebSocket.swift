#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import Synchronization
import TransferEngine

// The opening handshake of a WebSocket task, as one of its exchanges with the server.
extension URLSessionTask {
  /// Turns the request into an upgrade request.
  func prepareUpgrade(_ wanted: inout TransferRequest, _ connection: WebSocketConnection) throws(URLError) {
    guard let task = self as? URLSessionWebSocketTask else { return }
    for name in task.subprotocols where !ASCII.isToken(name) {
      throw URLError(
        .badURL, message: "The WebSocket subprotocol \"\(name)\" is empty or has an invalid character.",
        url: initialRequest?.url)
    }
    wanted.isUpgrade = true
    wanted.method = "GET"
    wanted.httpVersion = .http11
    wanted.acceptedEncodings = ""
    // A subprotocol may be a secret, which another origin does not get unless the delegate says so.
    let url = lockedState.withLock { $0.currentRequest?.url }
    let hasCrossed =
      url.flatMap(originBeforeRedirects(to:)) != nil && !wanted.hasField("Sec-WebSocket-Protocol")
    wanted.headers.removeAll {
      WebSocketHandshake.reservedFields.contains(ASCII.lowercased($0.name))
    }
    let fields = connection.beginHandshake(
      subprotocols: hasCrossed ? [] : task.subprotocols,
      offersCompression: settings.compressesWebSocketMessages)
    wanted.headers += fields.map { TransferHeader($0.name, $0.value) }
  }

  /// Opens the connection after status 101, if the handshake is valid.
  func open(_ connection: WebSocketConnection, _ response: HTTPURLResponse, version: String)
    -> TransferDisposition
  {
    let subprotocol: String?
    do throws(WebSocketFailure) {
      subprotocol = try connection.open(version: version, fields: response.headerFields)
    } catch {
      return refuse(response, error.message)
    }
    let disposition = deliver(response, asked: false)
    if let task = self as? URLSessionWebSocketTask {
      notifyDelegate(.didOpenWithProtocol, (any URLSessionWebSocketDelegate).self) {
        $0.urlSession(self.session, webSocketTask: task, didOpenWithProtocol: subprotocol)
      }
    }
    return disposition
  }

  /// Fails the task because of the server's response, which stays available.
  @discardableResult func refuse(_ response: HTTPURLResponse, _ problem: String? = nil) -> TransferDisposition
  {
    let message =
      problem
      ?? "The server did not open the WebSocket connection: it responded with status \(response.statusCode)."
    lockedState.withLock { $0.response = response }
    abort(URLError(.badServerResponse, message: message, url: initialRequest?.url))
    return .stop
  }

  var webSocket: WebSocketConnection? {
    if case .webSocket(let connection) = sink { connection } else { nil }
  }
}

extension URLRequest {
  /// The URL with `http` and `https` for `ws` and `wss`: the handshake is an HTTP request.
  static func httpURL(forWebSocket url: URL) -> URL {
    let scheme = ASCII.lowercased(url.scheme ?? "")
    guard scheme == "ws" || scheme == "wss",
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    components.scheme = scheme == "ws" ? "http" : "https"
    return components.url ?? url
  }
}
#endif
