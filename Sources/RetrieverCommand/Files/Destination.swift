import Foundation
import Glibc
import TerminalProgram

/// Where a body goes.
enum Destination: Sendable, Equatable {
  case standardOutput
  case file(String)
  /// Under a name that the server, or the URL, proposes.
  case directory(String)

  /// - Parameters:
  ///   - output: the value of `--output`; nil for `usual`.
  ///   - count: how many bodies there are.
  init(_ output: String?, count: Int, usual: Destination) throws(UsageError) {
    switch output {
    case nil: self = usual
    case "-": self = .standardOutput
    case let path? where (try? OutputPlace(path)) == .descriptor(STDOUT_FILENO): self = .standardOutput
    case let path?:
      if path.isEmpty { throw UsageError("--output needs a name, or - for standard output") }
      if path.hasSuffix("/") || FileSystem.kind(path) == .directory {
        self = .directory(path)
      } else if count > 1 {
        throw UsageError("--output has to be a directory for several files: \(path)/")
      } else {
        self = .file(path)
      }
    }
  }

  /// Makes the directory if need be.
  func prepare() throws(Failure) {
    guard case .directory(let path) = self, FileSystem.kind(path) == nil else { return }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(.fileSystem, "the directory \(path) cannot be made: \(FileSystem.reason(error))")
    }
  }

  static func path(_ name: String, in directory: String) -> String {
    directory == "." ? name : directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}

/// The few questions to the file system that are asked in several places.
enum FileSystem {
  enum Kind: Equatable {
    case regular
    case directory
    /// A device, pipe or socket.
    case special
  }

  /// What is at a path, links followed; nil when there is nothing.
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

  static func reason(_ error: any Error) -> String {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    if let code = (cause as? POSIXError)?.code ?? (error as? POSIXError)?.code {
      return String(cString: strerror(code.rawValue))
    }
    return error.localizedDescription
  }

  static func exists(_ path: String) -> Failure {
    Failure(.fileSystem, "\(path) is there already; --force replaces it")
  }

  /// Gives a finished file its name; what is there already is replaced only if that is allowed.
  static func move(_ source: String, to target: String, replaces: Bool) throws(Failure) {
    if !replaces {
      // Unlike a rename, a link never replaces anything, not even what came a moment ago.
      if link(source, target) == 0 {
        unlink(source)
        return
      }
      if errno == EEXIST { throw exists(target) }
      if kind(target) != nil { throw exists(target) }
    }
    guard rename(source, target) == 0 else { throw .file("\(target) cannot be made", errno) }
  }
}
