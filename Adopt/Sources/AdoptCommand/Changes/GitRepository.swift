import Foundation
import Glibc

/// A git working tree, read with the program `git`.
struct GitRepository {
  /// The top folder, with all links resolved.
  let top: String

  /// Finds the working tree that contains a folder.
  init(around folder: String) throws(FileProblem) {
    let result = try Self.git(in: folder, ["rev-parse", "--show-toplevel"])
    guard result.status == 0, let line = result.output.split(separator: "\n").first else {
      throw FileProblem(
        folder, "The folder is not in a git repository, which --diff requires.")
    }
    top = String(line)
  }

  /// Returns the changes in the working tree since a revision: changed lines of tracked files, and untracked files.
  ///
  /// `REVISION...` stands for the commit where the current branch left REVISION.
  func changes(since revision: String) throws(FileProblem) -> ChangedLines {
    let commit = try commit(revision)
    let diff = try output(of: [
      "diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
      "--diff-algorithm=default",
      "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all", "--no-relative", commit, "--",
      "*.swift",
    ])
    let untracked = try output(of: ["ls-files", "--others", "--exclude-standard", "-z", "--", "*.swift"])
    return ChangedLines(
      top: top, changes: DiffParser.parse(diff), untracked: untracked.split(separator: "\0").map(String.init))
  }

  private func commit(_ revision: String) throws(FileProblem) -> String {
    let isBase = revision.hasSuffix("...")
    let name = isBase ? String(revision.dropLast(3)) : revision
    let question = ["rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"]
    guard let commit = try words(question).first else {
      throw FileProblem(top, "There is no git revision “\(name)”. In a shallow clone, fetch it first.")
    }
    guard isBase else { return commit }
    guard let base = try words(["merge-base", commit, "HEAD"]).first else {
      throw FileProblem(
        top, "HEAD and “\(name)” have no common ancestor. In a shallow clone, fetch more commits.")
    }
    return base
  }

  private func words(_ arguments: [String]) throws(FileProblem) -> [String] {
    let result = try Self.git(in: top, arguments)
    return result.status == 0 ? result.output.split(separator: "\n").map(String.init) : []
  }

  private func output(of arguments: [String]) throws(FileProblem) -> String {
    let result = try Self.git(in: top, arguments)
    guard result.status == 0 else {
      throw FileProblem(
        top, "Could not find the changes: git \(arguments.first ?? "") failed. See its error message.")
    }
    return result.output
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
      throw FileProblem("git", "Could not run git: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    // `env` exits with 127 if there is no such program.
    guard process.terminationStatus != 127 else {
      throw FileProblem("git", "git is not installed, but --diff requires it.")
    }
    return (process.terminationStatus, String(decoding: data ?? Data(), as: UTF8.self))
  }
}
