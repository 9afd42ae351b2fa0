/// The lines that changed since a revision.
struct ChangedLines: Sendable {
  private enum Extent: Sendable {
    /// An untracked file.
    case complete
    case lines([ClosedRange<Int>])
  }

  /// The changes by path, with all links resolved.
  private var files: [String: Extent] = [:]

  init() {}

  init(top: String, changes: [DiffParser.Change], untracked: [String]) {
    for change in changes { files[top + "/" + change.path] = .lines(change.lines) }
    for path in untracked { files[top + "/" + path] = .complete }
  }

  /// Adds the changes of another working tree.
  mutating func add(_ other: ChangedLines) { files.merge(other.files) { first, _ in first } }

  /// Returns whether one of the lines of a file is new or changed.
  func touches(_ lines: some Sequence<Int>, of path: String) -> Bool {
    switch files[path] {
    case nil: false
    case .complete: true
    case .lines(let ranges): lines.contains { line in ranges.contains { $0.contains(line) } }
    }
  }

  /// Returns whether a file has changes.
  func touches(_ path: String) -> Bool { files[path] != nil }
}
