import SwiftSyntax

/// The names that are in scope, and the places where the code mentions names and words that matter.
///
/// Code that mentions none of them is skipped.
struct NameTable {
  /// The maximum number of names whose mentions are followed.
  static let maximumRelevantNames = 8
  /// The same for the functions of a type that stores a continuation.
  static let maximumNamesOfType = 40

  enum Binding {
    case handler
    /// The property that stores a continuation, or a name that stands for that property.
    case place
    /// The struct of which the stored continuation is a member.
    case holder
    /// A closure parameter that is called instead of the handler.
    case duty
    /// A constant that is true for only one of several callers.
    case latch
    /// A local function or closure that mentions the handler.
    case function(LocalFunction)
    case variable(Int)
    /// A response whose members show whether there is a value or an error.
    case response(AlamofireResponse)
    case other
  }

  struct LocalFunction {
    let id: Int
    let statements: CodeBlockItemListSyntax
    let end: Int
    let parameters: [String]
    /// Whether it is a method of the type that stores the continuation.
    var isMethod = false
    /// Whether it returns a continuation.
    var returnsContinuation = false
  }

  private let file: ParsedFile
  private let range: Range<Int>
  private let ignoresMembers: Bool
  private let maximumNames: Int
  private let flags = Flags()
  private var names: [(name: String, binding: Binding)] = []
  private var relevantNames: Set<String> = []
  /// The places where the handler may be mentioned.
  private(set) var mentions = Mentions()
  /// The places of all relevant words, which include the mentions.
  private var relevantWords: Mentions

  /// Creates an empty table for a range of a file.
  ///
  /// - Parameters:
  ///   - relevantWords: The places of the words that matter in addition to names.
  ///   - ignoresMembers: Whether a member with a relevant name, such as `self.name`, does not count as mentioning it.
  init(
    file: ParsedFile, range: Range<Int>, relevantWords: Mentions, ignoresMembers: Bool = false,
    maximumNames: Int = NameTable.maximumRelevantNames
  ) {
    self.file = file
    self.range = range
    self.relevantWords = relevantWords
    self.ignoresMembers = ignoresMembers
    self.maximumNames = maximumNames
  }

  // MARK: - Scopes

  /// The number of names that are in scope.
  var count: Int { names.count }

  mutating func declare(_ name: String, _ binding: Binding) {
    names.append((name, binding))
  }

  /// Declares the names of a pattern, which hide outer names.
  mutating func declareNames(in pattern: PatternSyntax) {
    var pending = [Syntax(pattern)]
    while let node = pending.popLast() {
      if let identifier = node.as(IdentifierPatternSyntax.self) {
        declare(identifier.identifier.text, .other)
      } else {
        pending.append(contentsOf: node.children(viewMode: .sourceAccurate))
      }
    }
  }

  /// Ends the scope of all names but the first `count`.
  mutating func removeNames(after count: Int) {
    if count < names.count { names.removeLast(names.count - count) }
  }

  /// Hides all names but the first `count`, for code that was written before they were declared.
  ///
  /// - Returns: All names, for `restore(_:)`.
  mutating func hideNames(after count: Int) -> Hidden {
    defer { removeNames(after: count) }
    return Hidden(names: names)
  }

  mutating func restore(_ hidden: Hidden) {
    names = hidden.names
  }

  struct Hidden {
    fileprivate let names: [(name: String, binding: Binding)]
  }

  func lookUp(_ name: String) -> Binding? {
    names.last { $0.name == name }?.binding
  }

  func isHandler(_ name: String) -> Bool {
    switch lookUp(name) {
    case .handler?, .place?: return true
    default: return false
    }
  }

  /// Returns whether the code assigns `true` or `false` to a name.
  func assignsLiteral(to name: String) -> Bool {
    if flags.names == nil { flags.names = assignedFlags() }
    return flags.names?.contains(name) == true
  }

  /// The names to which the code assigns `true` or `false`. They are found in one pass, when first needed.
  private final class Flags {
    var names: Set<String>?
  }

  private func assignedFlags() -> Set<String> {
    var found: Set<String> = []
    var text = file.text
    text.withUTF8 { bytes in
      let end = min(range.upperBound, bytes.count)
      for offset in range.lowerBound..<max(range.lowerBound, end) where bytes[offset] == UInt8(ascii: " ") {
        let rest = bytes[offset...]
        guard rest.starts(with: " = true".utf8) || rest.starts(with: " = false".utf8) else { continue }
        var start = offset
        while start > range.lowerBound, Self.isPartOfName(bytes[start - 1]) { start -= 1 }
        guard start < offset, !Self.isDeclared(bytes, before: start) else { continue }
        found.insert(String(decoding: bytes[start..<offset], as: UTF8.self))
      }
    }
    return found
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  // MARK: - Relevant code

  /// Makes all code relevant that mentions a name. Returns false if there are too many such names.
  mutating func makeRelevant(_ name: String, isHandler: Bool) -> Bool {
    guard relevantNames.insert(name).inserted else { return true }
    guard relevantNames.count <= maximumNames else { return false }
    var found = WordFinder([name]).find(in: file, range: range)
    if ignoresMembers {
      found.removeAll { file.text(in: max(0, $0 - 1)..<$0) == "." }
    }
    relevantWords.merge(found)
    if isHandler { mentions.merge(found) }
    return true
  }

  func isRelevant(_ range: Range<Int>) -> Bool {
    relevantWords.touch(range)
  }

  func isRelevant(_ node: some SyntaxProtocol) -> Bool {
    relevantWords.touch(node)
  }

  /// Returns whether code may mention the handler.
  func mayMentionHandler(_ node: some SyntaxProtocol) -> Bool {
    mentions.touch(node)
  }

  // MARK: - Assignments

  /// Returns the number of assignments to a name in the text, whether to this variable or another one with that name.
  func countAssignments(to name: String) -> Int {
    var count = 0
    let found = WordFinder([name]).find(in: file, range: range)
    var text = file.text
    text.withUTF8 { bytes in
      for offset in found.offsets {
        var index = offset + name.utf8.count
        while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
        let isAssigned =
          index + 1 < bytes.count && bytes[index] == UInt8(ascii: "=")
          && bytes[index + 1] != UInt8(ascii: "=")
        let isPassed = offset > 0 && bytes[offset - 1] == UInt8(ascii: "&")
        let isToggled = bytes[index...].starts(with: ".toggle".utf8)
        if isAssigned || isPassed || isToggled, !Self.isDeclared(bytes, before: offset) { count += 1 }
      }
    }
    return count
  }

  private static func isDeclared(_ bytes: UnsafeBufferPointer<UInt8>, before offset: Int) -> Bool {
    guard offset >= 4, bytes[offset - 1] == UInt8(ascii: " ") else { return false }
    let before = bytes[(offset - 4)..<(offset - 1)]
    return before.elementsEqual("var".utf8) || before.elementsEqual("let".utf8)
  }
}
