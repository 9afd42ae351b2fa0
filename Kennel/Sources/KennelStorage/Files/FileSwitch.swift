/// Changes the names of files in a directory: all of them or none, also if the process is killed in between.
///
/// A file with the steps is written first. From then on, anyone who uses the directory completes them.
package enum FileSwitch {
  package enum Step: Sendable, Hashable {
    case rename(String, to: String)
    case remove(String)
  }

  private static let journalName = "kennel.switch"
  private static let maximumSize = 8192

  /// Makes the changes. Names are those of files in the directory.
  package static func make(_ steps: [Step], in directory: String) throws(KennelError) {
    if steps.isEmpty { return }
    let journal = "\(directory)/\(journalName)"
    let draft = journal + ".new"
    try FileCalls.remove(draft)
    let text = steps.map { step in
      switch step {
      case .rename(let name, let target): "rename\t\(name)\t\(target)\n"
      case .remove(let name): "remove\t\(name)\n"
      }
    }
    let file = try OpenFile(creating: draft)
    try file.write(Array(text.joined().utf8))
    try file.sync()
    // A new file is locked, and this lock means something else when the file has its name.
    file.unlock()
    // What is renamed must be on the disk before its name.
    try FileCalls.syncDirectory(directory)
    try FileCalls.rename(draft, to: journal)
    try FileCalls.syncDirectory(directory)
    try complete(in: directory)
  }

  /// Returns whether changes have begun and are not complete.
  package static func isPending(in directory: String) -> Bool {
    FileCalls.size(of: "\(directory)/\(journalName)") != nil
  }

  /// Completes changes that were interrupted.
  package static func complete(in directory: String) throws(KennelError) {
    let journal = "\(directory)/\(journalName)"
    guard isPending(in: directory) else { return }
    guard let lock = FileLock(try OpenFile(reading: journal)) else {
      throw KennelError(.busy, "Another program completes the move of this kennel. Try again in a moment.")
    }
    defer { lock.release() }
    // Another process may have completed them before it released the lock.
    guard let text = try FileCalls.text(of: journal, limit: maximumSize) else { return }
    for line in text.split(separator: "\n") {
      let words = line.split(separator: "\t").map(String.init)
      guard words.dropFirst().allSatisfy({ !$0.contains("/") && $0 != ".." }) else { throw damaged(journal) }
      switch (words.first, words.count) {
      case ("rename", 3):
        if FileCalls.kind(of: "\(directory)/\(words[1])") != nil {
          try FileCalls.rename("\(directory)/\(words[1])", to: "\(directory)/\(words[2])")
        }
      case ("remove", 2): try FileCalls.remove("\(directory)/\(words[1])")
      default: throw damaged(journal)
      }
    }
    try FileCalls.syncDirectory(directory)
    try FileCalls.remove(journal)
    try FileCalls.syncDirectory(directory)
  }

  private static func damaged(_ path: String) -> KennelError {
    KennelError(.damaged, "The file \(path) is damaged. Restore a backup.")
  }
}
