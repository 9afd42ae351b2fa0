/// The lines that are different since a revision.
struct ChangedLines: Sendable {
  private enum Extent: Sendable {
    /// A file that the repository did not know.
    case whole
    case lines([ClosedRange<Int>])
  }

  /// By path, all links resolved.
  private var files: [String: Extent] = [:]

  init() {}

  init(top: String, changes: [DiffParser.Change], untracked: [String]) {
    for change in changes { files[top + "/" + change.path] = .lines(change.lines) }
    for path in untracked { files[top + "/" + path] = .whole }
  }

  /// Of two working trees.
  mutating func add(_ other: ChangedLines) { files.merge(other.files) { first, _ in first } }

  /// Whether one of the lines of a file is new or changed.
  func touches(_ lines: some Sequence<Int>, of path: String) -> Bool {
    switch files[path] {
    case nil: false
    case .whole: true
    case .lines(let ranges): lines.contains { line in ranges.contains { $0.contains(line) } }
    }
  }

  /// Whether anything of a file is different.
  func touches(_ path: String) -> Bool { files[path] != nil }
}
