import Foundation
import SwiftSyntax
import Testing

@testable import AdoptAnalysis

/// Checks randomly cut and joined files of this repository. Every check must return.
struct DamagedSourceTests {
  private static let sources: [[UInt8]] = {
    let here = URL(fileURLWithPath: #filePath)
    let package = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folders = [package.appending(path: "Sources"), package.appending(path: "Tests")]
    var found: [URL] = []
    for folder in folders {
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.pathExtension == "swift" { found.append(file) }
    }
    return found.sorted { $0.path < $1.path }.compactMap { try? Data(contentsOf: $0) }.map { Array($0) }
  }()

  private static func checked(_ bytes: [UInt8]) -> FileCheck {
    var options = CheckOptions()
    options.readsDamagedCode = true
    return check(ParsedFile(path: "a.swift", text: String(decoding: bytes, as: UTF8.self)), options: options)
  }

  @Test(.timeLimit(.minutes(5)), arguments: 0..<4)
  func `files cut and joined at random are checked to the end`(_ quarter: Int) {
    let sources = Self.sources.filter { $0.count > 500 && $0.count < 30_000 }
    #expect(sources.count > 20)
    var random = SplitMix(state: UInt64(quarter) &* 77 &+ 5)
    var handlers = 0
    for _ in 0..<150 {
      var bytes = sources[random.below(sources.count)]
      for _ in 0...random.below(6) {
        let other = sources[random.below(sources.count)]
        let from = random.below(other.count)
        let piece = other[from..<min(other.count, from + random.below(400))]
        let start = random.below(bytes.count)
        let end = min(bytes.count, start + random.below(300))
        switch random.below(3) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.replaceSubrange(start..<end, with: piece)
        default: bytes.insert(contentsOf: piece, at: start)
        }
        if bytes.isEmpty { bytes = Array(piece) + [32] }
      }
      handlers += Self.checked(bytes).handlerCount
    }
    #expect(handlers > 0)
  }

  @Test(.timeLimit(.minutes(5)))
  func `tokens of handler functions in random order are checked`() {
    let text = """
      func a(completion: @escaping (Int?, Error?) -> Void) throws { defer { completion(nil, nil) } ; guard let x
      else { return } ; switch x { case .a where b: fallthrough default: break } ; l: for y in z { continue l }
      while true { break } ; repeat { } while c ; do { try d() } catch let e { throw e } ; Task { [weak self] in
      guard let self else { return completion(1, nil) } } ; #if A let f = { completion($0, $1) } #else f(1) #endif
      if case .b = g, let completion = completion { completion(h ? i : j ?? k, nil) } else if l { } }
      """
    let words = text.split { $0 == " " || $0 == "\n" }.map(String.init)
    var random = SplitMix(state: 11)
    for _ in 0..<400 {
      var some = ["func a(completion: @escaping () -> Void) {"]
      for _ in 0..<(10 + random.below(60)) { some.append(words[random.below(words.count)]) }
      _ = Self.checked(Array(some.joined(separator: " ").utf8))
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `deeply nested code is declined or checked`() {
    let deep = 3_000
    let head = "func a(completion: @escaping () -> Void) { "
    let shapes = [
      head + String(repeating: "if a { ", count: deep) + "completion()" + String(repeating: " }", count: deep)
        + "}",
      head + String(repeating: "(", count: deep) + "completion()" + String(repeating: ")", count: deep) + "}",
      head + String(repeating: "Task { ", count: deep) + "completion()" + String(repeating: " }", count: deep)
        + "}",
      head + "a" + String(repeating: ".b { completion() }", count: deep) + "}",
      head + "a" + String(repeating: "?.b(completion)", count: deep) + "}",
      head + String(repeating: "if a { completion() } else ", count: deep) + "{ } }",
      head + "if " + String(repeating: "a || ", count: deep) + "completion() { } }",
      head + "x = " + String(repeating: "a ? b : ", count: deep) + "completion() }",
      head + String(repeating: "!", count: deep) + "completion() }",
      head + "let x = " + String(repeating: "[", count: deep) + "completion"
        + String(repeating: "]", count: deep),
      head + String(repeating: "defer { completion() }; if a { return }; ", count: 400) + "}",
      head + String(repeating: "defer { if a { completion() } }; if a { return }; ", count: 400) + "}",
      head + "switch a { " + (0..<deep).map { "case .c\($0): completion()\n" }.joined() + "} }",
      head + (0..<deep).map { "if a\($0) { completion() }\n" }.joined() + "}",
      head + (0..<200).map { "var f\($0) = false; if f\($0) { completion(); f\($0) = true }\n" }.joined()
        + "}",
      head + (0..<200).map { "func f\($0)() { f\(($0 + 1) % 200)(); completion() }\n" }.joined() + "f0() }",
      head + (0..<12).map { "func f\($0)() { f\($0 + 1)(); f\($0 + 1)(); completion() }\n" }.joined()
        + "f0() }",
    ]
    for shape in shapes {
      let result = Self.checked(Array(shape.utf8))
      #expect(result.handlerCount == 1 || result.declined.count == 1)
    }
  }

  @Test func `a function that does not parse is declined with a reason`() throws {
    let text = "func a(completion: @escaping () -> Void) { if ( { completion() }\n"
    let result = check(ParsedFile(path: "a.swift", text: text))
    #expect(result.findings.isEmpty)
    #expect(
      try #require(result.declined.first).reason == "'a(completion:)' is not checked: it does not parse")
  }

  @Test(.timeLimit(.minutes(5)), arguments: [10, 30, 300, 30_000])
  func `nested square brackets do not hang the parser`(_ depth: Int) {
    for open in ["[", "[ ", "[a: ", "([", "[a, "] {
      let text =
        "func a(completion: @escaping () -> Void) { let x = " + String(repeating: open, count: depth)
        + "completion"
        + String(repeating: "]", count: depth)
      _ = Self.checked(Array(text.utf8))
    }
    let escapes = String(repeating: "print(\"\\u{1B}[0m\")\n", count: 100)
    #expect(Self.checked(Array(escapes.utf8)).declined.isEmpty)
  }

  @Test func `empty and unusual files have no findings`() {
    for text in [
      "", "\u{feff}", "\0\0", "#!/usr/bin/swift\n", "\r\r\n\n", String(repeating: "é", count: 999),
    ] {
      #expect(Self.checked(Array(text.utf8)).findings.isEmpty)
    }
  }
}
