import TerminalProgram

extension ExitStatus {
  package static let hostNotFound = ExitStatus(rawValue: 3)
  package static let connection = ExitStatus(rawValue: 4)
  package static let security = ExitStatus(rawValue: 5)
  package static let httpStatus = ExitStatus(rawValue: 6)
  package static let timedOut = ExitStatus(rawValue: 7)
  package static let notAnImage = ExitStatus(rawValue: 9)
  package static let tooLarge = ExitStatus(rawValue: 11)

  /// All that this program ends with: its word in JSON, and what the manual says of it.
  package static let all: [(status: ExitStatus, word: String, meaning: String)] = [
    (.success, "success", "everything that was asked for was done"),
    (.failure, "failure", "a failure that has no number of its own"),
    (.usage, "usage", "the command line makes no sense"),
    (.hostNotFound, "hostNotFound", "the host's name was not found"),
    (.connection, "connection", "no connection, a lost one, or an answer that is not HTTP"),
    (.security, "security", "TLS failed, or the server's certificate is not to be trusted"),
    (
      .httpStatus, "httpStatus",
      "the server answered with a status of 400 or more, or with nothing that was asked for"
    ),
    (.timedOut, "timedOut", "nothing came for too long"),
    (.fileSystem, "fileSystem", "a file could not be read, made or written, or is there already"),
    (.notAnImage, "notAnImage", "what came is no image, or a damaged one"),
    (.partial, "partial", "some of what was asked for was done, and some failed"),
    (.tooLarge, "tooLarge", "more came than --max-size or an image's limits allow"),
    (.hungUp, "hungUp", "ended with its terminal (SIGHUP)"),
    (.interrupted, "interrupted", "interrupted (Ctrl-C, SIGINT)"),
    (.outputClosed, "outputClosed", "the reader of standard output went away"),
    (.terminated, "terminated", "asked to end (SIGTERM)"),
  ]

  /// The word for it in JSON.
  package var word: String { Self.all.first { $0.status == self }?.word ?? "\(rawValue)" }
}
