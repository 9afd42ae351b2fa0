/// The exit status of a program. The numbers are stable, because scripts depend on them.
///
/// Programs add their own statuses and describe all of them; the manual page lists these descriptions.
public struct ExitStatus: RawRepresentable, Hashable, Sendable {
  /// The number that the process returns, from 0 to 255. A status above 128 is 128 plus the number of a signal.
  public let rawValue: Int32

  /// Creates a status from its number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Everything succeeded (0).
  public static let success = ExitStatus(rawValue: 0)
  /// Any failure without a more specific status (1).
  public static let failure = ExitStatus(rawValue: 1)
  /// The command line is not valid (2).
  public static let usage = ExitStatus(rawValue: 2)
  /// A file could not be read, created or written, or already exists (8).
  public static let fileSystem = ExitStatus(rawValue: 8)
  /// Some operations succeeded and some failed (10).
  public static let partial = ExitStatus(rawValue: 10)
  /// The terminal was closed: SIGHUP (129).
  public static let hungUp = ExitStatus(rawValue: 129)
  /// The user interrupted the program with Ctrl-C: SIGINT (130).
  public static let interrupted = ExitStatus(rawValue: 130)
  /// The reader of the output closed it: SIGPIPE (141).
  public static let outputClosed = ExitStatus(rawValue: 141)
  /// The process was asked to end: SIGTERM (143).
  public static let terminated = ExitStatus(rawValue: 143)

  /// Returns one status for several operations.
  public static func combined(_ statuses: [ExitStatus]) -> ExitStatus {
    let failures = statuses.filter { $0 != .success }
    guard let first = failures.first else { return .success }
    if let ending = failures.first(where: { $0.rawValue > 128 }) { return ending }
    if failures.count < statuses.count { return .partial }
    return failures.allSatisfy { $0 == first } ? first : .failure
  }
}
