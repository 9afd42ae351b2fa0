/// A replacement of a range of a text.
struct TextEdit: Sendable, Hashable {
  /// The range in UTF-8 bytes.
  var range: Range<Int>
  var replacement: String
}

/// Edits that belong together: either all or none are applied.
struct EditGroup: Sendable, Hashable {
  var edits: [TextEdit]
}

/// Applies edits to a text.
enum TextEdits {
  /// Applies all groups that do not conflict with an earlier group, and returns the number of applied groups.
  static func apply(_ groups: [EditGroup], to text: String) -> (text: String, count: Int) {
    var accepted: [TextEdit] = []
    var count = 0
    let size = text.utf8.count
    for group in groups where !group.edits.isEmpty {
      let edits = group.edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
      let fits = edits.allSatisfy { edit in
        edit.range.upperBound <= size && !accepted.contains { Self.collide($0, edit) }
      }
      guard fits, zip(edits, edits.dropFirst()).allSatisfy({ !collide($0, $1) }) else { continue }
      accepted += edits
      count += 1
    }
    return (replacing(accepted, in: text), count)
  }

  /// Returns whether two edits overlap or start at the same place, where their order would be ambiguous.
  private static func collide(_ left: TextEdit, _ right: TextEdit) -> Bool {
    if left.range.lowerBound == right.range.lowerBound { return true }
    let (first, second) = left.range.lowerBound < right.range.lowerBound ? (left, right) : (right, left)
    return second.range.lowerBound < first.range.upperBound
  }

  private static func replacing(_ edits: [TextEdit], in text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var position = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      result += bytes[position..<edit.range.lowerBound]
      result += edit.replacement.utf8
      position = edit.range.upperBound
    }
    result += bytes[position...]
    return String(decoding: result, as: UTF8.self)
  }
}
