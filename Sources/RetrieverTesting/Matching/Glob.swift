/// Text with wildcards: `*` stands for any characters, also for none.
struct Glob: Sendable, Equatable {
  private let pattern: [Character]
  private let isLiteral: Bool

  init(_ text: some StringProtocol) {
    pattern = Array(text)
    isLiteral = !pattern.contains("*")
  }

  var text: String { String(pattern) }

  func matches(_ text: String) -> Bool {
    let text = Array(text)
    if isLiteral { return text == pattern }
    var (index, position) = (0, 0)
    /// Where to continue when the characters differ: the last wildcard takes one more.
    var retry: (index: Int, position: Int)?
    while position < text.count {
      if index < pattern.count, pattern[index] == "*" {
        retry = (index, position)
        index += 1
      } else if index < pattern.count, pattern[index] == text[position] {
        index += 1
        position += 1
      } else if let last = retry {
        retry = (last.index, last.position + 1)
        (index, position) = (last.index + 1, last.position + 1)
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy { $0 == "*" }
  }
}
