/// Writes the difference of two texts in the format of `diff -u`, which `patch -p1` and `git apply` understand.
enum UnifiedDiff {
  private enum Step { case same, removed, added }
  private static let context = 3
  /// The maximum number of lines that are compared. Larger changes are written as one replacement.
  private static let maximumLines = 20_000

  /// Returns the difference, or an empty string if the texts are equal.
  ///
  /// - Parameter old: The old text, or nil for a new file.
  static func text(of path: String, old: String?, new: String) -> String {
    if let old, old == new { return "" }
    let (before, after) = (lines(of: old ?? ""), lines(of: new))
    let steps = steps(before, after)
    var result = "--- \(old == nil ? "/dev/null" : quoted("a/", path))\n+++ \(quoted("b/", path))\n"
    for hunk in hunks(steps) { result += text(of: hunk, steps, before, after) }
    return result
  }

  /// Splits a text into lines that include their line endings.
  private static func lines(of text: String) -> [Substring] {
    var lines: [Substring] = []
    var rest = Substring(text).utf8
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let next = rest.index(after: end)
      lines.append(Substring(rest[..<next]))
      rest = rest[next...]
    }
    if !rest.isEmpty { lines.append(Substring(rest)) }
    return lines
  }

  private static func steps(_ before: [Substring], _ after: [Substring]) -> [Step] {
    let start = zip(before, after).prefix { same($0, $1) }.count
    let shorter = min(before.count, after.count) - start
    let end = zip(before.reversed(), after.reversed()).prefix(shorter).prefix { same($0, $1) }.count
    let (old, new) = (before[start..<(before.count - end)], after[start..<(after.count - end)])
    var steps = [Step](repeating: .same, count: start)
    if old.count + new.count > maximumLines {
      steps += old.map { _ in .removed } + new.map { _ in .added }
    } else {
      let difference = Array(new).difference(from: Array(old), by: same)
      let removed = offsets(difference.removals)
      let inserted = offsets(difference.insertions)
      var (i, j) = (0, 0)
      while i < old.count || j < new.count {
        if removed.contains(i) {
          steps.append(.removed)
          i += 1
        } else if inserted.contains(j) {
          steps.append(.added)
          j += 1
        } else {
          steps.append(.same)
          i += 1
          j += 1
        }
      }
    }
    return steps + [Step](repeating: .same, count: end)
  }

  private static func offsets(_ changes: [CollectionDifference<Substring>.Change]) -> Set<Int> {
    Set(
      changes.map { change in
        switch change {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
      })
  }

  /// Compares byte by byte, because `Substring` treats canonically equivalent texts as equal.
  private static func same(_ left: Substring, _ right: Substring) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }

  /// Returns the ranges of steps that changed, each with its context.
  private static func hunks(_ steps: [Step]) -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for (index, step) in steps.enumerated() where step != .same {
      let range = max(0, index - context)..<min(steps.count, index + context + 1)
      if let last = hunks.last, last.upperBound >= range.lowerBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    return hunks
  }

  private static func text(
    of hunk: Range<Int>, _ steps: [Step], _ before: [Substring], _ after: [Substring]
  ) -> String {
    var i = steps[..<hunk.lowerBound].count { $0 != .added }
    var j = steps[..<hunk.lowerBound].count { $0 != .removed }
    let (oldCount, newCount) = (steps[hunk].count { $0 != .added }, steps[hunk].count { $0 != .removed })
    var result = "@@ -\(position(i, oldCount)) +\(position(j, newCount)) @@\n"
    for step in steps[hunk] {
      let line: Substring
      switch step {
      case .same:
        line = before[i]
        result += " "
        i += 1
        j += 1
      case .removed:
        line = before[i]
        result += "-"
        i += 1
      case .added:
        line = after[j]
        result += "+"
        j += 1
      }
      result += line
      if line.utf8.last != UInt8(ascii: "\n") { result += "\n\\ No newline at end of file\n" }
    }
    return result
  }

  /// Returns the position of a hunk. A hunk without lines is placed after the previous line.
  private static func position(_ index: Int, _ count: Int) -> String {
    count == 0 ? "\(index),0" : count == 1 ? "\(index + 1)" : "\(index + 1),\(count)"
  }

  /// Quotes a path with unusual bytes as git does.
  private static func quoted(_ prefix: String, _ path: String) -> String {
    var name = prefix + path.drop { $0 == "/" }
    let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\"") && $0 != 0x5c }
    // A tab marks the end of a name that contains spaces.
    if isPlain { return name.utf8.contains(0x20) ? name + "\t" : name }
    name = name.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "\""), 0x5c: text += "\\" + String(UnicodeScalar(byte))
      case 0x20...0x7e: text += String(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 8)
        text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return "\"\(name)\""
  }
}
