import AdoptAnalysis
import SwiftSyntax

/// Finds the functions of a file that take a completion handler, and writes their async twins.
///
/// The same text and options always give the same twins. The function is thread-safe.
package func twins(in file: ParsedFile, options: TwinOptions = TwinOptions()) -> TwinFile {
  TwinWriter(file: file, options: options).result()
}

/// The place where twins are written.
package enum TwinPlacement: Sendable {
  /// After their functions.
  case inline
  /// In a separate file. The files of the functions only get `@available(*, renamed:)`.
  case separate
}

extension TwinFile {
  /// Returns a copy in which the twins that cannot be in a separate file are declined.
  package func separable() -> TwinFile {
    var result = self
    result.twins = []
    for twin in twins {
      if let reason = twin.reasonAgainstSeparate {
        result.declined.append(Declined(place: twin.place, function: twin.function, reason: reason))
      } else {
        result.twins.append(twin)
      }
    }
    result.declined.sort { $0.place.offset < $1.place.offset }
    return result
  }

  /// Returns the edits that add the twins to a file. Everything else in the file stays the same, byte for byte.
  ///
  /// - Returns: Sorted edits that do not overlap.
  package func edits(of file: ParsedFile, placement: TwinPlacement = .inline) -> [FixIt.Edit] {
    var edits = twins.compactMap(\.renaming)
    if placement == .inline, !twins.isEmpty {
      edits += insertions()
      edits += SupportWriter(file: file, support: support).edits()
    }
    return edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }.map(\.element)
  }

  var support: Set<TwinSupport> { twins.reduce(into: []) { $0.formUnion($1.support) } }

  private func insertions() -> [FixIt.Edit] {
    var result: [FixIt.Edit] = []
    var places: [Twin.Insertion] = []
    var grouped: [Twin.Insertion: [Twin]] = [:]
    for twin in twins {
      if grouped[twin.insertion] == nil { places.append(twin.insertion) }
      grouped[twin.insertion, default: []].append(twin)
    }
    for place in places {
      let twins = grouped[place] ?? []
      guard let style = twins.first?.style else { continue }
      let end = style.lineEnd
      var text = ""
      for twin in twins where !twin.isRequirement { text += end + end + twin.text }
      for block in ExtensionBlock.blocks(of: twins.filter(\.isRequirement), separate: false) {
        text += end + end + block.lines.text(base: place.base, style: block.style)
      }
      switch place.follower {
      case .space: break
      case .nextLine: text += end
      case .sameLine: text += end + place.rest
      }
      result.append((place.offset..<place.offset + place.gap, text))
    }
    return result
  }
}

/// The twins of one type, in an extension.
struct ExtensionBlock {
  let header: String
  let condition: String?
  var members: [[Line]]
  let style: FileStyle

  static func blocks(of twins: [Twin], separate: Bool) -> [ExtensionBlock] {
    var blocks: [ExtensionBlock] = []
    for twin in twins {
      let lines = twin.lines(separate: separate)
      // A twin next to its function is already inside the same condition.
      let condition = separate ? twin.condition : nil
      let index = blocks.firstIndex { $0.header == twin.extensionHeader && $0.condition == condition }
      if let index, !twin.extensionHeader.isEmpty {
        blocks[index].members.append(lines)
      } else {
        blocks.append(
          ExtensionBlock(
            header: twin.extensionHeader, condition: condition, members: [lines], style: twin.style))
      }
    }
    return blocks
  }

  var lines: [Line] {
    var lines = Array(members.joined(separator: [Line.blank]))
    if !header.isEmpty { lines = [Line(0, header, opens: true)] + lines.indented() + [Line(0, "}")] }
    if let condition { lines = [Line(0, "#if \(condition)")] + lines.indented() + [Line(0, "#endif")] }
    return lines
  }
}

/// Returns a text with edits applied.
///
/// - Parameter edits: Sorted edits that do not overlap.
package func applying(_ edits: [FixIt.Edit], to text: String) -> String {
  let bytes = Array(text.utf8)
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count + edits.reduce(0) { $0 + $1.replacement.utf8.count })
  var done = 0
  for edit in edits where edit.range.lowerBound >= done && edit.range.upperBound <= bytes.count {
    result += bytes[done..<edit.range.lowerBound]
    result += Array(edit.replacement.utf8)
    done = edit.range.upperBound
  }
  result += bytes[done...]
  return String(decoding: result, as: UTF8.self)
}

/// Returns the text of a separate file for the twins of several files.
///
/// - Parameter files: The files, each with its twins after `separable()`.
/// - Returns: The text, or nil if there are no twins.
package func separateFile(for files: [(file: ParsedFile, twins: TwinFile)]) -> String? {
  let used = files.filter { !$0.twins.twins.isEmpty }
  guard let first = used.first else { return nil }
  let style = FileStyle(of: first.file.text)
  let support = used.reduce(into: Set<TwinSupport>()) { $0.formUnion($1.twins.support) }
  var imports = Imports()
  for file in used { imports.add(from: file.file) }
  if support.contains(.startedWork) { imports.addFoundation() }
  var parts = imports.isEmpty ? [] : [imports.text(lineEnd: style.lineEnd)]
  let blocks = ExtensionBlock.blocks(of: used.flatMap(\.twins.twins), separate: true)
  parts += blocks.map { $0.lines.text(base: "", style: $0.style) }
  for kind in TwinSupport.allCases where support.contains(kind) {
    parts.append(kind.lines().text(base: "", style: style))
  }
  return parts.joined(separator: style.lineEnd + style.lineEnd) + style.lineEnd
}
