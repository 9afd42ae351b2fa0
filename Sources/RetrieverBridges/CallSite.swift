/// The line of source that made a bridge, so that a mistake found later can name it.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  /// The file, as `#fileID` gives it: `Module/File.swift`.
  public let fileID: String
  /// The line, counted from 1.
  public let line: Int

  /// The place of a line in a file.
  public init(fileID: String = #fileID, line: Int = #line) {
    self.fileID = fileID
    self.line = line
  }

  /// `Module/File.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
