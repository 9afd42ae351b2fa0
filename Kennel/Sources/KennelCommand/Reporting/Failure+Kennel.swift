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
    (.connection, "another kennel could not be reached, or its response is not valid"),
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
      let sentence = Self.withoutStop(Self.lowered(error.description))
      self.init(
        Self.status(of: error.code), error.cause.map { "\(sentence) (\(Self.withoutStop($0)))" } ?? sentence)
    case let error as HTTPServerError: self.init(.failure, Self.withoutStop(Self.lowered(error.description)))
    default: self.init(general: error)
    }
  }

  private static func status(of code: KennelError.Code) -> ExitStatus {
    switch code {
    case .cannotOpen, .diskFull, .notWritable, .inputOutput: .fileSystem
    case .badName, .badPassword, .badText, .badAddress: .usage
    case .cancelled: .interrupted
    case .unreachable, .badPeer: .connection
    default: .failure
    }
  }

  /// Returns a sentence for use after a colon: the first word is lowercased, unless it may be a name.
  private static func lowered(_ sentence: String) -> String {
    let first = sentence.prefix { $0.isLetter }
    let articles = [
      "The", "There", "A", "An", "Somebody", "Another", "Too", "This", "That", "No", "Free", "Only", "It",
    ]
    return articles.contains(String(first))
      ? sentence.prefix(1).lowercased() + sentence.dropFirst() : sentence
  }
}
