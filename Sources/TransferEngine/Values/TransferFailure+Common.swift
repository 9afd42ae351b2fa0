// The failures that more than one place comes to.
extension TransferFailure {
  static let notRepeatable = TransferFailure(
    .connectionLost,
    message:
      "The connection was lost before the server answered. The request was not sent again, because the "
      + "server may have processed it already.")

  static let cutOff = TransferFailure(
    .connectionLost, message: "The response was cut off: the server ended it before its end was sent.")

  static let brokenProtocol = TransferFailure(
    .badReply, message: "The connection was given up: the server broke the rules of HTTP/2.")

  static let cancelled = TransferFailure(.cancelled, message: "The transfer was cancelled.")

  static let deadlinePassed = TransferFailure(
    .timedOut, message: "The request timed out: it was not complete when its time was over.")

  static func timedOut(after idle: Duration) -> TransferFailure {
    TransferFailure(
      .timedOut,
      message: idle > .zero
        ? "The request timed out: nothing arrived for \(idle)."
        : "The request timed out: it was given no time.")
  }
}
