// Failures that more than one place reports.
extension TransferFailure {
  static let notRepeatable = TransferFailure(
    .connectionLost,
    message:
      "The connection was lost before the server answered. The request was not sent again, because the "
      + "server may have processed it already.")

  static let cutOff = TransferFailure(
    .connectionLost,
    message: "The response is incomplete: the server stopped sending before the end of the body.")

  static let brokenProtocol = TransferFailure(
    .badReply, message: "The connection is unusable because the server violated the HTTP/2 protocol.")

  static let cancelled = TransferFailure(.cancelled, message: "The transfer was cancelled.")

  package static let deadlinePassed = TransferFailure(
    .timedOut, message: "The request timed out: it did not finish before its deadline.")

  static func timedOut(after idle: Duration) -> TransferFailure {
    TransferFailure(
      .timedOut,
      message: idle > .zero
        ? "The request timed out: no data was received or sent for \(idle)."
        : "The request timed out: its time-out is zero or negative.")
  }
}
