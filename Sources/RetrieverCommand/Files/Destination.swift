import Foundation
import Glibc
import SystemFiles
import TerminalProgram

/// Where a body is written.
enum Destination: Sendable, Equatable {
  case standardOutput
  case file(String)
  /// A file in this directory, under a name that the server or the URL suggests.
  case directory(String)

  /// - Parameters:
  ///   - output: The value of `--output`; nil for `usual`.
  ///   - count: The number of bodies.
  init(_ output: String?, count: Int, usual: Destination) throws(UsageError) {
    switch output {
    case nil: self = usual
    case "-": self = .standardOutput
    case let path? where (try? OutputPlace(path)) == .descriptor(STDOUT_FILENO): self = .standardOutput
    case let path?:
      if path.isEmpty { throw UsageError("--output must be a file name, or - for standard output.") }
      if path.hasSuffix("/") || FileSystem.kind(path) == .directory {
        self = .directory(path)
      } else if count > 1 {
        throw UsageError("--output must be a directory for several files, such as \(path)/.")
      } else {
        self = .file(path)
      }
    }
  }

  /// Creates the directory if necessary.
  func prepare() throws(Failure) {
    guard case .directory(let path) = self, FileSystem.kind(path) == nil else { return }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .file("Could not create the directory \(path)", error)
    }
  }

  static func path(_ name: String, in directory: String) -> String {
    directory == "." ? name : directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}

/// File system operations that several commands share.
enum FileSystem {
  enum Kind: Equatable {
    case regular
    case directory
    /// A device, pipe or socket.
    case special
  }

  /// Returns the kind of file at a path, following links; nil if there is nothing.
  static func kind(_ path: String) -> Kind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .regular
    case S_IFDIR: return .directory
    default: return .special
    }
  }

  static func isFile(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  static func size(_ path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  static func exists(_ path: String) -> Failure {
    Failure(.fileSystem, "The file \(path) already exists. Use --force to replace it.")
  }

  /// Writes a file that only its owner can read. An existing file is replaced completely or not at all.
  static func writePrivately(_ data: Data, to path: String) throws(Failure) {
    let code = data.withUnsafeBytes { AtomicReplacement.writePrivately([$0], to: path) }
    if code != 0 { throw .file("Could not write \(path)", code) }
  }

  /// Renames a finished file. An existing file is replaced only if `replaces` is true.
  static func move(_ source: String, to target: String, replaces: Bool) throws(Failure) {
    if !replaces {
      // Unlike `rename`, `link` never replaces a file, not even one that was created a moment ago.
      if link(source, target) == 0 {
        unlink(source)
        return
      }
      if errno == EEXIST { throw exists(target) }
      if kind(target) != nil { throw exists(target) }
    }
    guard rename(source, target) == 0 else { throw .file("Could not create \(target)", errno) }
  }
}
