import Foundation
import Synchronization
import TestSupport

/// Has the `curl` command load all replies, some hundred of them in one process.
struct CurlClient {
  /// The seconds after which a reply that has no end is given up.
  static let timeLimit = 2

  private static let processes = 8
  private static let mark = "<end of reply>"

  /// The version, as `curl --version` begins.
  static func version() throws -> String {
    let folder = try TemporaryDirectory()
    let child = try ChildProcess(["curl", "--version"], output: folder.path("version"))
    guard child.waitForEnd(within: .seconds(10)) == .exited(0) else {
      throw TestSupportError("curl is not installed")
    }
    let text = try String(contentsOf: folder.file("version"), encoding: .utf8)
    return text.split(separator: " ").prefix(2).joined(separator: " ")
  }

  /// The outcomes, in the order of the replies. Blocks.
  static func load(_ replies: [RawReply], from server: ReplyServer) throws -> [Outcome] {
    let folder = try TemporaryDirectory()
    var outcomes = [Outcome?](repeating: nil, count: replies.count)
    var groups = (0..<processes).map { first in Array(stride(from: first, to: replies.count, by: processes)) }
    // curl ends early when it believes that memory is exhausted, as it does after a field that is too long.
    var round = 0
    while !groups.isEmpty {
      round += 1
      let children = try groups.enumerated().map { group, numbers in
        let sections = numbers.map { section($0, replies[$0], server, folder) }
        let file = try folder.write(Data(sections.joined(separator: "next\n").utf8), to: "config-\(group)")
        return try ChildProcess(
          ["curl", "--disable", "--silent", "--config", file.path],
          output: folder.path("results-\(round)-\(group)"))
      }
      for child in children where child.waitForEnd(within: .seconds(300)) == nil {
        throw TestSupportError("curl did not end")
      }
      for (group, numbers) in groups.enumerated() {
        let output = try Data(contentsOf: folder.file("results-\(round)-\(group)"))
        // Fields may hold any byte: each becomes one character.
        let text = String(String.UnicodeScalarView(output.map { UnicodeScalar($0) }))
        let results = text.components(separatedBy: mark).dropLast()
        guard !results.isEmpty else { throw TestSupportError("curl gave no results") }
        for (number, result) in zip(numbers, results) {
          let body = (try? Data(contentsOf: folder.file("body-\(number)"))) ?? Data()
          // With --head the fields are what is printed.
          outcomes[number] = try outcome(result, replies[number].method == "HEAD" ? Data() : body)
        }
        groups[group] = Array(numbers.dropFirst(results.count))
      }
      groups.removeAll { $0.isEmpty }
    }
    return outcomes.compactMap { $0 }
  }

  private static func section(
    _ number: Int, _ reply: RawReply, _ server: ReplyServer, _ folder: TemporaryDirectory
  ) -> String {
    // Each reply comes from a host of its own, and so over a connection of its own.
    """
    url = "http://reply-\(number).example/\(number)"
    connect-to = "::127.0.0.1:\(server.port)"
    output = "\(folder.path("body-\(number)"))"
    \(reply.method == "HEAD" ? "head" : "get")
    compressed
    noproxy = "*"
    max-time = \(timeLimit)
    write-out = "%{exitcode}\\n%{http_code}\\n%{header_json}\(mark)"

    """
  }

  private static func outcome(_ result: String, _ body: Data) throws -> Outcome {
    let lines = result.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, let code = Int(lines[0]), let status = Int(lines[1]) else {
      throw TestSupportError("curl wrote \(result)")
    }
    guard code == 0 else { return .failure(failure(code), "\(code)") }
    var fields: [String: String] = [:]
    let json = try JSONSerialization.jsonObject(with: Data(lines[2].utf8))
    for (name, values) in json as? [String: [String]] ?? [:] {
      fields[decoded(name).lowercased()] = values.map(decoded).joined(separator: ", ")
    }
    return .response(Outcome.Response(status: status, fields: fields, body: body))
  }

  /// A name or value as it was sent. curl 7.88 loses the backslash of an escape, writes a byte above 127 as a
  /// negative number, and leaves the line end in an empty value.
  private static func decoded(_ text: String) -> String {
    let escape = /u(?:ffffff|00)([0-9a-f]{2})/
    var bytes: [UInt8] = []
    var rest = text[...]
    while let match = rest.firstMatch(of: escape) {
      bytes += rest[..<match.range.lowerBound].unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      bytes.append(UInt8(match.1, radix: 16) ?? 0)
      rest = rest[match.range.upperBound...]
    }
    bytes += rest.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    if bytes.first == UInt8(ascii: "\r") { bytes.removeFirst() }
    // As Retriever reads them: UTF-8 where it is that, and else one character for each byte.
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
  }

  /// curl's exit codes.
  private static func failure(_ code: Int) -> Outcome.Failure {
    switch code {
    case 1, 8, 16, 43: .notHTTP
    case 18, 52, 56: .cut
    case 23, 61: .undecodable
    case 27, 63, 100: .tooLarge
    case 28: .timedOut
    default: .other
    }
  }
}
