import Foundation
import Testing

@testable import AdoptTwins

/// Compares names of twins with those that the compiler's importer gives to Objective-C methods.
@Suite(.timeLimit(.minutes(5)))
struct ImporterTests {
  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Identifier: Decodable { let precise: String }
      struct Names: Decodable { let title: String }
      struct Fragment: Decodable { let spelling: String }
      let identifier: Identifier
      let names: Names
      let declarationFragments: [Fragment]?
    }
    let symbols: [Symbol]
  }

  private static let verbs = [
    "fetch", "get", "load", "getAll", "set", "getLatest", "perform", "getHTTP", "begin", "getUTF8",
  ]
  private static let nouns = ["", "Image", "URL", "URLs", "Thumbnails", "JSONValue", "Default", "ID"]
  private static let tails = [
    "", "Asynchronously", "ForName", "InRect", "WithOptions", "OfKind", "AtX", "FromURL",
  ]
  private static let handlers = [
    "completion", "completionHandler", "withCompletion", "withCompletionHandler", "completionBlock", "reply",
    "replyTo",
    "withReplyTo", "thenCloseWithCompletion", "andSaveWithCompletionHandler",
  ]
  private static let sole = [
    "WithCompletion", "WithCompletionHandler", "WithCompletionBlock", "WithReply", "WithReplyTo", "WithBlock",
  ]

  /// One class for each method, so that methods cannot conflict.
  private static func header() -> (text: String, count: Int) {
    var methods: [String] = []
    var turn = 0
    for verb in verbs {
      for noun in nouns {
        for tail in tails {
          let base = verb + noun + tail
          let handler = handlers[turn % handlers.count]
          let phrase = sole[turn % sole.count]
          turn += 1
          methods.append("\(base):(int)value \(handler):(void (^)(int))completion")
          if tail != "WithOptions" { methods.append("\(base)\(phrase):(void (^)(int))completion") }
        }
      }
    }
    let classes = methods.enumerated().map { "@interface C\($0.offset) : Root\n- (void)\($0.element);\n@end" }
    return (
      "__attribute__((objc_root_class)) @interface Root\n@end\n" + classes.joined(separator: "\n"),
      methods.count
    )
  }

  @Test func `imported names are equal to the compiler's names`() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let (header, count) = Self.header()
    for (name, text) in [
      ("Methods.h", header), ("module.modulemap", "module Methods { header \"Methods.h\" export * }"),
      ("Reader.swift", "@_exported import Methods\n"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
    }
    let outcome = try await Blocking.tool(
      "swiftc",
      [
        "-frontend", "-emit-module", "-module-name", "Reader", "-o", folder.path + "/Reader.swiftmodule",
        "-enable-objc-interop", "-I", folder.path, "-emit-symbol-graph", "-emit-symbol-graph-dir",
        folder.path,
        folder.path + "/Reader.swift",
      ])
    try #require(outcome.succeeded, "\(outcome.output)")
    let path = folder.path + "/Reader.symbols.json"
    let data = try #require(FileManager.default.contents(atPath: path))
    let graph = try JSONDecoder().decode(Graph.self, from: data)

    var plain: [String: String] = [:]
    var twins: [String: String] = [:]
    for symbol in graph.symbols where symbol.identifier.precise.contains("(im)") {
      let isAsync = symbol.declarationFragments?.contains { $0.spelling == "async" } ?? false
      if isAsync {
        twins[symbol.identifier.precise] = symbol.names.title
      } else {
        plain[symbol.identifier.precise] = symbol.names.title
      }
    }
    // Nearly all are imported twice: the importer only recognizes a completion handler by its name.
    #expect(twins.count > count * 9 / 10)
    var different: [String] = []
    for (selector, expected) in twins {
      let old = try #require(plain[selector])
      let parts = old.dropLast().split(separator: "(", omittingEmptySubsequences: false)
      let labels = (parts.last ?? "").split(separator: ":").map(String.init)
      let function = FunctionName(base: String(parts[0]), labels: labels)
      let given = TwinNaming.imported.name(of: function, handlers: [labels.count - 1]).description
      if given != expected { different.append("\(selector) \(old): \(given), not \(expected)") }
    }
    #expect(
      different.isEmpty,
      "\(different.count) of \(twins.count): \(different.sorted().prefix(40).joined(separator: "\n"))")
  }
}
