import Foundation
import Synchronization
import TestSupport

/// Loads all replies with the `curl` command, some hundred of them in one process.
struct CurlClient {
  /// The time-out in seconds for a reply without an end.
  static let timeLimit = 2

  private static let processes = 8
  private static let mark = "<end of reply>"

  /// Returns the version: the beginning of the output of `curl --version`.
  static func version() throws -> String {
    let folder = try TemporaryDirectory()
    let child = try ChildProcess(["curl", "--version"], output: folder.path("version"))
    guard child.waitForEnd(within: .seconds(10)) == .exited(0) else {
      throw TestSupportError("could not run curl. Check that it is installed")
    }
    let text = try String(contentsOf: folder.file("version"), encoding: .utf8)
    return text.split(separator: " ").prefix(2).joined(separator: " ")
  }

  /// Returns the outcomes in the order of the replies. Blocks the thread.
  static func load(_ replies: [RawReply], from server: ReplyServer) throws -> [Outcome] {
    let folder = try TemporaryDirectory()
    var outcomes = [Outcome?](repeating: nil, count: replies.count)
    var groups = (0..<processes).map { first in Array(stride(from: first, to: replies.count, by: processes)) }
    // curl ends early when it reports that it is out of memory, which it also does after a field that is too long.
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
        throw TestSupportError("curl did not end within 300 seconds")
      }
      for (group, numbers) in groups.enumerated() {
        let output = try Data(contentsOf: folder.file("results-\(round)-\(group)"))
        // Fields may contain any byte. Each byte becomes one character.
        let text = String(String.UnicodeScalarView(output.map { UnicodeScalar($0) }))
        let results = text.components(separatedBy: mark).dropLast()
        guard !results.isEmpty else { throw TestSupportError("curl printed no results") }
        for (number, result) in zip(numbers, results) {
          let body = (try? Data(contentsOf: folder.file("body-\(number)"))) ?? Data()
          // With --head, curl writes the fields to the output file.
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
    // Each reply has a separate host name, so that curl uses a separate connection.
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
      throw TestSupportError("curl printed an unexpected result: \(result)")
    }
    guard code == 0 else { return .failure(failure(code), "\(code)") }
    var fields: [String: String] = [:]
    let json = try JSONSerialization.jsonObject(with: Data(lines[2].utf8))
    for (name, values) in json as? [String: [String]] ?? [:] {
      fields[decoded(name).lowercased()] = values.map(decoded).joined(separator: ", ")
    }
    return .response(Outcome.Response(status: status, fields: fields, body: body))
  }

  /// Restores a name or value as the server sent it. curl 7.88 loses the backslash of an escape, writes a byte above
  /// 127 as a negative number, and leaves the line end in an empty value.
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
    // Decodes like Retriever: as UTF-8 if valid, otherwise one character for each byte.
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
  }

  /// Returns the class of an exit code of curl.
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
