/// The source line that created a bridge, for use in error messages.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
  /// The file in the form of `#fileID`: `Module/File.swift`.
  public let fileID: String
  /// The line number, starting at 1.
  public let line: Int

  /// Creates a call site.
  public init(fileID: String = #fileID, line: Int = #line) {
    self.fileID = fileID
    self.line = line
  }

  /// The file and the line: `Module/File.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
