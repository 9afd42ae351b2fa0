import Foundation
import Glibc

/// A working tree, asked through the program `git`.
struct GitRepository {
  /// Where it begins, all links resolved.
  let top: String

  /// The one that a folder is in.
  init(around folder: String) throws(FileProblem) {
    let answer = try Self.git(in: folder, ["rev-parse", "--show-toplevel"])
    guard answer.status == 0, let line = answer.output.split(separator: "\n").first else {
      throw FileProblem(
        folder, "is not in a git repository, so nothing is known of what changed; --diff needs one")
    }
    top = String(line)
  }

  /// What is different in the working tree since a revision: lines of files that git knows, and files that it does not.
  ///
  /// `REVISION...` stands for where the branch at hand left REVISION.
  func changes(since revision: String) throws(FileProblem) -> ChangedLines {
    let commit = try commit(revision)
    let diff = try answer([
      "diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
      "--diff-algorithm=default",
      "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all", "--no-relative", commit, "--",
      "*.swift",
    ])
    let untracked = try answer(["ls-files", "--others", "--exclude-standard", "-z", "--", "*.swift"])
    return ChangedLines(
      top: top, changes: DiffParser.parse(diff), untracked: untracked.split(separator: "\0").map(String.init))
  }

  private func commit(_ revision: String) throws(FileProblem) -> String {
    let isBase = revision.hasSuffix("...")
    let name = isBase ? String(revision.dropLast(3)) : revision
    let question = ["rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"]
    guard let commit = try words(question).first else {
      throw FileProblem(top, "git knows no revision “\(name)” there; in a shallow clone, fetch it first")
    }
    guard isBase else { return commit }
    guard let base = try words(["merge-base", commit, "HEAD"]).first else {
      throw FileProblem(
        top, "HEAD and “\(name)” have no commit in common; in a shallow clone, fetch more of them")
    }
    return base
  }

  private func words(_ arguments: [String]) throws(FileProblem) -> [String] {
    let answer = try Self.git(in: top, arguments)
    return answer.status == 0 ? answer.output.split(separator: "\n").map(String.init) : []
  }

  private func answer(_ arguments: [String]) throws(FileProblem) -> String {
    let answer = try Self.git(in: top, arguments)
    guard answer.status == 0 else {
      throw FileProblem(top, "git \(arguments.first ?? "") failed; its own message says why")
    }
    return answer.output
  }

  private static func git(
    in folder: String, _ arguments: [String]
  ) throws(FileProblem) -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder] + arguments
    process.standardInput = FileHandle.nullDevice
    if arguments.first == "rev-parse" { process.standardError = FileHandle.nullDevice }
    let pipe = Pipe()
    process.standardOutput = pipe
    let data: Data?
    do {
      try process.run()
      data = try pipe.fileHandleForReading.readToEnd()
    } catch {
      throw FileProblem("git", "cannot be run: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    // What `env` says when there is no such program.
    guard process.terminationStatus != 127 else {
      throw FileProblem("git", "is not installed; --diff asks it what changed")
    }
    return (process.terminationStatus, String(decoding: data ?? Data(), as: UTF8.self))
  }
}
