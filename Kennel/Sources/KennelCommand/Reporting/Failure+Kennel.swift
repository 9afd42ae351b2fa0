import Glibc
import HTTPService
import KennelStorage
import TerminalProgram

extension ExitStatus {
  /// Another kennel could not be reached.
  static let connection = ExitStatus(rawValue: 4)

  /// All exit statuses of the program, with their meaning in the manual page.
  static let all: [(status: ExitStatus, meaning: String)] = [
    (
      .success,
      "success, including a server or a sync with --follow that was stopped by a signal"
    ),
    (.failure, "any other error, or kennel check found problems"),
    (.usage, "the command line, an environment variable or the configuration file is not valid"),
    (
      .connection,
      "another kennel or the store of the photos could not be reached, or its response is not valid"
    ),
    (.fileSystem, "a file or directory could not be read, created or written"),
    (.partial, "some operations succeeded and some failed"),
    (.hungUp, "the terminal was closed (SIGHUP)"),
    (.interrupted, "interrupted (Ctrl-C, SIGINT)"),
    (.outputClosed, "the reader of standard output closed it"),
    (.terminated, "terminated (SIGTERM)"),
  ]
}

extension Failure {
  /// Converts an error of Kennel's libraries.
  init(_ error: any Error) {
    switch error {
    // The reader of a backup closed the pipe.
    case let error as KennelError where error.errno == EPIPE: self = .file(error.description, EPIPE)
    case let error as KennelError:
      self.init(
        Self.status(of: error.code), error.description + (error.cause.map { " (\($0))" } ?? ""))
    case let error as HTTPServerError: self.init(.failure, error.description)
    default: self.init(general: error)
    }
  }

  private static func status(of code: KennelError.Code) -> ExitStatus {
    switch code {
    case .cannotOpen, .diskFull, .notWritable, .inputOutput: .fileSystem
    case .badName, .badPassword, .badText, .badAddress: .usage
    case .cancelled: .interrupted
    case .unreachable, .badPeer, .storeUnavailable: .connection
    default: .failure
    }
  }
}
