/// How the program ends: a promise to scripts. The manual's list is made of this.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  case failure = 1
  case usage = 2
  case hostNotFound = 3
  case connection = 4
  case security = 5
  case httpStatus = 6
  case timedOut = 7
  case fileSystem = 8
  case notAnImage = 9
  case partial = 10
  case tooLarge = 11
  case hungUp = 129
  case interrupted = 130
  case outputClosed = 141
  case terminated = 143

  /// As the manual says it.
  var meaning: String {
    switch self {
    case .success: "everything that was asked for was done"
    case .failure: "a failure that has no number of its own"
    case .usage: "the command line makes no sense"
    case .hostNotFound: "the host's name was not found"
    case .connection: "no connection, a lost one, or an answer that is not HTTP"
    case .security: "TLS failed, or the server's certificate is not to be trusted"
    case .httpStatus: "the server answered with a status of 400 or more, or with nothing that was asked for"
    case .timedOut: "nothing came for too long"
    case .fileSystem: "a file could not be read, made or written, or is there already"
    case .notAnImage: "what came is no image, or a damaged one"
    case .partial: "some of what was asked for was done, and some failed"
    case .tooLarge: "more came than --max-size or an image's limits allow"
    case .hungUp: "ended with its terminal (SIGHUP)"
    case .interrupted: "interrupted (Ctrl-C, SIGINT)"
    case .outputClosed: "the reader of standard output went away"
    case .terminated: "asked to end (SIGTERM)"
    }
  }

  /// The word for it in JSON.
  var word: String { "\(self)" }

  /// Of several things that were asked for: one status for all of them.
  package static func combined(_ statuses: [ExitStatus]) -> ExitStatus {
    let failures = statuses.filter { $0 != .success }
    guard let first = failures.first else { return .success }
    if let ending = failures.first(where: { $0.rawValue > 128 }) { return ending }
    if failures.count < statuses.count { return .partial }
    return failures.allSatisfy { $0 == first } ? first : .failure
  }
}
