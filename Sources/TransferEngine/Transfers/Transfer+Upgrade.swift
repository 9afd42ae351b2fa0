import CCurl
import CLinux
import Glibc

// Connections that leave HTTP after status 101, such as WebSocket connections.
extension Transfer {
  /// The head of the response to an upgrade request is complete.
  func noteUpgrade(_ head: TransferHead) {
    // What follows the head is not a body: only the two sides know whether it is complete.
    response.hasNoBody = true
    guard head.status == 101 else {
      response.endsAtHead = true
      return
    }
    isUpgraded = true
    core.keepUpgraded(self)
    // Other loads must not wait until the program closes this connection.
    leaveQueue()
  }

  /// libcurl has begun or stopped to wait for input of an upgraded connection. If it stops, and not because of a pause,
  /// the server has closed the connection. Version 7.88 does not report this while sending is paused.
  func libcurlWaitsForInput(_ waits: Bool) {
    hasStoppedReading = !waits && machine.isRunning && !machine.isReceivePaused
    if hasStoppedReading { core.loop.addStopped(self) }
  }

  /// Ends a transfer whose connection the server has closed, unless libcurl has done that.
  func finishStopped() {
    guard hasStoppedReading, machine.isRunning, !machine.isReceivePaused else { return }
    // Since version 8.0, libcurl reports the end. With TLS, it may also wait for output only.
    guard Curl.losesStreamBytes || Self.isClosed(upgradedSocket) else { return }
    done(CURLE_OK)
  }

  /// Whether the server closed an upgraded connection without the announcement of TLS (`close_notify`). What is sent over
  /// such a connection has an end of its own. libcurl 8.14 reports a failure then, and 7.88 the end.
  func wasClosedAfterUpgrade(_ result: CURLcode) -> Bool {
    isUpgraded && result == CURLE_RECV_ERROR && handle?.failureText.contains("unexpected eof") == true
  }

  private static func isClosed(_ socket: Int32?) -> Bool {
    guard let socket else { return true }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }
}
