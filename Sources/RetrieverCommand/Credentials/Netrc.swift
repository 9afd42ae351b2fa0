import Foundation
import Glibc
import TerminalProgram

/// The entries of a `.netrc` file.
package struct Netrc: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    /// The host name; nil for the default entry.
    package var machine: String?
    package var login: String?
    package var password: String?
  }

  package private(set) var entries: [Entry] = []

  package init(_ text: String) {
    var isInMacro = false
    // A line may end with CR LF, which is one Character.
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      // A macro ends at an empty line.
      if isInMacro {
        isInMacro = !line.allSatisfy(\.isWhitespace)
        continue
      }
      isInMacro = read(Self.words(of: line))
    }
  }

  private var pending: String?

  /// Returns true when a macro begins.
  private mutating func read(_ words: [String]) -> Bool {
    for word in words {
      switch pending {
      case "machine": entries.append(Entry(machine: word.lowercased()))
      case "login": change { $0.login = word }
      case "password": change { $0.password = word }
      case "account": break
      case "macdef":
        pending = nil
        return true
      default:
        if word == "default" { entries.append(Entry()) }
        pending = ["machine", "login", "password", "account", "macdef"].contains(word) ? word : nil
        continue
      }
      pending = nil
    }
    return false
  }

  private mutating func change(_ body: (inout Entry) -> Void) {
    if !entries.isEmpty { body(&entries[entries.count - 1]) }
  }

  /// Splits a line at blanks. Quotes keep blanks together, and in quotes a backslash escapes the next character.
  private static func words(of line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        word?.append(character)
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
      } else if character == "\"", isQuoted || word == nil {
        isQuoted.toggle()
        if word == nil { word = "" }
      } else if character.isWhitespace, !isQuoted {
        if let finished = word { words.append(finished) }
        word = nil
      } else if character == "#", word == nil {
        break
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }

  /// Returns the entry of a host, and of a user if one is given. Falls back to the default entry.
  package func entry(host: String, user: String? = nil) -> Entry? {
    let host = host.lowercased()
    func fits(_ entry: Entry) -> Bool { user == nil || entry.login == user }
    return entries.first { $0.machine == host && fits($0) }
      ?? entries.first { $0.machine == nil && fits($0) }
  }

  /// Reads a file; returns nil if there is none. Warns if other users can read the file.
  static func read(_ path: String, warn: (String) -> Void) throws(Failure) -> Netrc? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .file("Could not read \(path)", errno)
    }
    if status.st_mode & 0o077 != 0 {
      warn("Warning: Other users can read the passwords in \(path). Use chmod 600 to prevent this.")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .file("Could not read \(path)", EACCES)
    }
    return Netrc(String(decoding: data, as: UTF8.self))
  }
}
