import HTTPSyntax

// Requests that only open a connection.
extension Transfer {
  /// Reports the socket of a connection. libcurl closes its own copy.
  func finishConnected() {
    guard machine.done() != .none else { return }
    handle?.needsReset()
    var end = detach(nil)
    end.socket = connectedSocket
    connectedSocket = nil
    core.loop.remove(self)
    finish(end)
  }
}

extension TransferRequest {
  /// The URL without TLS. libcurl sends nothing to it.
  var plainURL: String {
    ASCII.lowercased(String(url.prefix(8))) == "https://" ? "http://" + url.dropFirst(8) : url
  }
}

extension TransferFailure {
  static let secureProxyForConnection = TransferFailure(
    .proxyRefused,
    message: "Stream tasks cannot use a proxy that is itself reached with TLS. Use an http or socks5 proxy.")
}
