import TerminalProgram

extension ExitStatus {
  package static let hostNotFound = ExitStatus(rawValue: 3)
  package static let connection = ExitStatus(rawValue: 4)
  package static let security = ExitStatus(rawValue: 5)
  package static let httpStatus = ExitStatus(rawValue: 6)
  package static let timedOut = ExitStatus(rawValue: 7)
  package static let notAnImage = ExitStatus(rawValue: 9)
  package static let tooLarge = ExitStatus(rawValue: 11)

  /// All exit statuses of the program, with the word in JSON and the meaning in the manual page.
  package static let all: [(status: ExitStatus, word: String, meaning: String)] = [
    (.success, "success", "success"),
    (.failure, "failure", "any other error"),
    (.usage, "usage", "the command line is not valid"),
    (.hostNotFound, "hostNotFound", "the host name was not found"),
    (.connection, "connection", "the connection failed or was lost, or the response is not HTTP"),
    (.security, "security", "TLS failed, or the server's certificate is not trusted"),
    (
      .httpStatus, "httpStatus",
      "the server answered with a status of 400 or more, or not with what was requested"
    ),
    (.timedOut, "timedOut", "the operation timed out"),
    (.fileSystem, "fileSystem", "a file could not be read, created or written, or already exists"),
    (.notAnImage, "notAnImage", "the data is not a valid image, or the image is damaged"),
    (.partial, "partial", "some operations succeeded and some failed"),
    (.tooLarge, "tooLarge", "the data exceeds --max-size or the limits of an image"),
    (.hungUp, "hungUp", "the terminal was closed (SIGHUP)"),
    (.interrupted, "interrupted", "interrupted (Ctrl-C, SIGINT)"),
    (.outputClosed, "outputClosed", "the reader of standard output closed it"),
    (.terminated, "terminated", "terminated (SIGTERM)"),
  ]

  /// The word for the status in JSON.
  package var word: String { Self.all.first { $0.status == self }?.word ?? "\(rawValue)" }
}
