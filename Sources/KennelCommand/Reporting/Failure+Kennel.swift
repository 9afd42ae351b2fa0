import Glibc
import HTTPService
import KennelCore
import TerminalProgram

extension ExitStatus {
  /// Nothing came of another kennel.
  static let connection = ExitStatus(rawValue: 4)

  /// What the manual says of each.
  static let all: [(status: ExitStatus, meaning: String)] = [
    (
      .success,
      "everything that was asked for was done; a server, or a sync that follows, was asked to end, and did"
    ),
    (.failure, "a failure that has no number of its own, or kennel check has found something"),
    (.usage, "the command line, a variable or the configuration file makes no sense"),
    (.connection, "another kennel cannot be reached, or is none"),
    (.fileSystem, "a file or directory could not be read, made or written"),
    (.partial, "some of what was asked for was done, and some failed"),
    (.hungUp, "ended with its terminal (SIGHUP)"),
    (.interrupted, "interrupted (Ctrl-C, SIGINT)"),
    (.outputClosed, "the reader of standard output went away"),
    (.terminated, "asked to end (SIGTERM)"),
  ]
}

extension Failure {
  /// Any error that Kennel's libraries throw.
  init(_ error: any Error) {
    switch error {
    // The reader of a backup.
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

  /// A sentence as it goes on behind a colon; a name at its beginning stays.
  private static func lowered(_ sentence: String) -> String {
    let first = sentence.prefix { $0.isLetter }
    let articles = [
      "The", "There", "A", "An", "Somebody", "Another", "Too", "This", "That", "No", "Free", "Only", "It",
    ]
    return articles.contains(String(first))
      ? sentence.prefix(1).lowercased() + sentence.dropFirst() : sentence
  }
}
