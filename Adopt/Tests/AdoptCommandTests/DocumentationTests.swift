import Foundation
import Testing

@testable import AdoptCommand

/// Compares the examples in docs/adopt.md with the output of adopt. `UPDATE_DOCS=1` updates the page.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs/adopt.md")

  /// A part of the page: text or a code block.
  private enum Piece {
    case words([String])
    case code(fence: String, lines: [String])

    var lines: [String] {
      switch self {
      case .words(let lines): lines
      case .code(let fence, let lines): [fence] + lines + ["```"]
      }
    }

    var code: String? {
      guard case .code(_, let lines) = self else { return nil }
      return lines.map { $0 + "\n" }.joined()
    }
  }

  private static func pieces(_ text: String) -> [Piece] {
    var pieces: [Piece] = [.words([])]
    for line in text.components(separatedBy: "\n") {
      switch pieces[pieces.count - 1] {
      case .code(let fence, let lines) where line == "```":
        pieces[pieces.count - 1] = .code(fence: fence, lines: lines)
        pieces.append(.words([]))
      case .code(let fence, let lines): pieces[pieces.count - 1] = .code(fence: fence, lines: lines + [line])
      case .words where line.hasPrefix("```"): pieces.append(.code(fence: line, lines: []))
      case .words(let lines): pieces[pieces.count - 1] = .words(lines + [line])
      }
    }
    return pieces
  }

  @Test func `every example matches the output of adopt`() async throws {
    var pieces = Self.pieces(try String(contentsOf: Self.page, encoding: .utf8))
    var count = 0
    for index in pieces.indices {
      guard case .words(let lines) = pieces[index], let mark = lines.last, mark.hasPrefix("<!-- "),
        let code = index + 1 < pieces.count ? pieces[index + 1].code : nil, index + 3 < pieces.count
      else { continue }
      let words = mark.split(separator: " ").map(String.init)
      let scratch = try TemporaryPackage()
      let name = words[1] == "check" ? words[2] : "Example.swift"
      try scratch.write(code, to: name)
      let result: String
      if words[1] == "check" {
        result = try await scratch.adopt("check", name).output
      } else {
        let written = try await scratch.adopt("alternatives", "--in-place", name)
        #expect(written.status == 0, "\(written.errors)")
        #expect(!written.errors.contains("declined"))
        result = try scratch.text(name)
      }
      count += 1
      let isSame = pieces[index + 3].code == result
      #expect(isSame, "\(mark)\n\(result)")
      guard case .code(let fence, _) = pieces[index + 3] else { continue }
      pieces[index + 3] = .code(
        fence: fence,
        lines: result.split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast().map(String.init))
    }
    #expect(count == 9)
    if ProcessInfo.processInfo.environment["UPDATE_DOCS"] != nil {
      try pieces.flatMap(\.lines).joined(separator: "\n").write(
        to: Self.page, atomically: true, encoding: .utf8)
    }
  }
}
