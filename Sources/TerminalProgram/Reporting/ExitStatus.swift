/// The exit status of a program. The numbers are stable, because scripts depend on them.
///
/// Programs add their own statuses and describe all of them; the manual page lists these descriptions.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let success = ExitStatus(rawValue: 0)
  package static let failure = ExitStatus(rawValue: 1)
  package static let usage = ExitStatus(rawValue: 2)
  package static let fileSystem = ExitStatus(rawValue: 8)
  package static let partial = ExitStatus(rawValue: 10)
  package static let hungUp = ExitStatus(rawValue: 129)
  package static let interrupted = ExitStatus(rawValue: 130)
  package static let outputClosed = ExitStatus(rawValue: 141)
  package static let terminated = ExitStatus(rawValue: 143)

  /// Returns one status for several operations.
  package static func combined(_ statuses: [ExitStatus]) -> ExitStatus {
    let failures = statuses.filter { $0 != .success }
    guard let first = failures.first else { return .success }
    if let ending = failures.first(where: { $0.rawValue > 128 }) { return ending }
    if failures.count < statuses.count { return .partial }
    return failures.allSatisfy { $0 == first } ? first : .failure
  }
}
