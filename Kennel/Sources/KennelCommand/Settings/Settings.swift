import Foundation
import TerminalProgram

/// The settings. The command line overrides the environment, and the environment overrides the file.
struct Settings: Sendable {
  /// A value with its origin, for messages.
  struct Value: Sendable, Equatable {
    enum Origin: Sendable, Equatable {
      case commandLine
      case environment
      case file(line: String)
    }

    var text: String
    var setting: String
    var origin: Origin

    /// The place of the value, to put before an error: an option, a variable, or a line of the file.
    var place: String {
      if case .file(let line) = origin { return line }
      return name(of: setting)
    }

    /// The setting as a part of a sentence.
    var mention: String {
      if case .file(let line) = origin { return "the setting \(setting) in \(line)" }
      return name(of: setting)
    }

    /// Returns an error about the setting: a sentence of which this is the predicate.
    func error(_ predicate: String) -> UsageError {
      if case .file(let line) = origin { return UsageError("\(line): The setting \(setting) \(predicate)") }
      return UsageError("\(name(of: setting)) \(predicate)")
    }

    /// Returns the name of a setting in the origin of this value.
    func name(of other: String) -> String {
      switch origin {
      case .commandLine: "--\(other)"
      case .environment: Setting.variable(of: other)
      case .file: other
      }
    }
  }

  let dataDirectory: String
  private let arguments: ParsedArguments
  private let environment: [String: String]
  private let file: ConfigurationFile

  init(_ arguments: ParsedArguments, environment: [String: String]) throws {
    self.arguments = arguments
    self.environment = environment
    let explicitValue = arguments.value("data") ?? KennelVariables.value(of: Setting.data, in: environment)
    if let path = arguments.value("config") ?? environment[KennelVariables.configuration], !path.isEmpty {
      guard let file = try ConfigurationFile.read(path) else {
        throw Failure(.fileSystem, "The configuration file \(path) does not exist. Check the path.")
      }
      self.file = file
      dataDirectory = explicitValue ?? file.entries["data"]?.last?.value ?? Self.defaultDirectory(environment)
    } else {
      let directory = explicitValue ?? Self.defaultDirectory(environment)
      let file = try ConfigurationFile.read(directory + "/kennel.conf") ?? .empty
      if let entry = file.entries["data"]?.first {
        throw UsageError(
          "\(file.path), line \(entry.line): The setting data cannot be in the file in the data directory itself. Use --data."
        )
      }
      self.file = file
      dataDirectory = directory
    }
  }

  private static func defaultDirectory(_ environment: [String: String]) -> String {
    // systemd sets this for a service with StateDirectory=; several directories are separated by colons.
    if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(state) }
    if let share = environment["XDG_DATA_HOME"], share.hasPrefix("/") { return share + "/kennel" }
    return (environment["HOME"] ?? ".") + "/.local/share/kennel"
  }

  // MARK: Values

  func values(_ name: String) -> [Value] {
    let explicitTexts = arguments.all(name)
    if !explicitTexts.isEmpty {
      return explicitTexts.map { Value(text: $0, setting: name, origin: .commandLine) }
    }
    if let setting = Setting.named(name), let text = KennelVariables.value(of: setting, in: environment) {
      let texts =
        setting.isRepeatable
        ? text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } : [text]
      return texts.map { Value(text: $0, setting: name, origin: .environment) }
    }
    return (file.entries[name] ?? []).map {
      Value(text: $0.value, setting: name, origin: .file(line: "\(file.path), line \($0.line)"))
    }
  }

  func value(_ name: String) -> Value? { values(name).last }
  func text(_ name: String) -> String? { value(name)?.text }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = Int(value.text), range.contains(number) else {
      throw value.error(
        "must be a number from \(range.lowerBound) to \(range.upperBound), not “\(value.text)”.")
    }
    return number
  }

  func byteCount(_ name: String) throws(UsageError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let count = ParsedArguments.byteCount(value.text).flatMap({ Int(exactly: $0) }) else {
      throw value.error("must be a number of bytes such as 500M or 2Gi, not “\(value.text)”.")
    }
    return count
  }

  func seconds(_ name: String) throws(UsageError) -> Duration? {
    guard let value = value(name) else { return nil }
    guard let number = Double(value.text), number.isFinite, number >= 0, number <= 86_400 else {
      throw value.error("must be a number of seconds up to 86400, not “\(value.text)”.")
    }
    return .seconds(number)
  }

  func timeZone(_ name: String) throws(UsageError) -> TimeZone? {
    guard let value = value(name) else { return nil }
    guard let zone = TimeZone(identifier: value.text) else {
      throw value.error("must be a time zone such as Europe/Berlin, not “\(value.text)”.")
    }
    return zone
  }

  /// Returns whether a setting is on. On the command line, the option has no value and means yes.
  func flag(_ name: String) throws(UsageError) -> Bool {
    if arguments.has(name) { return true }
    guard let value = value(name) else { return false }
    switch value.text.lowercased() {
    case "yes", "true", "on", "1": return true
    case "no", "false", "off", "0": return false
    default: throw value.error("must be yes or no, not “\(value.text)”.")
    }
  }
}
