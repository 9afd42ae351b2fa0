import Foundation
import TestSupport

/// Sends the same replies to `curl` and to Retriever, and writes a table of the differences.
///
/// usage: differential FILE
/// The exit status is 1 if there is a difference without a judgement.
@main
enum Differential {
  struct Row {
    var reply: RawReply
    var curl: Outcome
    var retriever: Outcome
    var difference: Difference
    var judgement: Judgement?
  }

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    guard CommandLine.arguments.count == 2 else {
      print("usage: differential FILE")
      exit(64)
    }
    do {
      let status = try await run(file: CommandLine.arguments[1])
      TemporaryDirectory.removeAll(of: getpid())
      exit(status)
    } catch {
      print("differential: \(error)")
      exit(2)
    }
  }

  private static func run(file: String) async throws -> Int32 {
    let replies = [RawReply].all
    guard Set(replies.map(\.identifier)).count == replies.count else {
      throw TestSupportError("two replies have the same name: \(repeated(replies))")
    }
    let server = try ReplyServer(replies)
    defer { server.stop() }
    async let curl = try runOnThread { try CurlClient.load(replies, from: server) }
    let retriever = await RetrieverClient.load(replies, from: server)
    var rows: [Row] = []
    for (reply, (curl, retriever)) in zip(replies, zip(try await curl, retriever)) {
      guard let difference = Difference(curl: curl, retriever: retriever) else { continue }
      let judgement = Judgement.all.first { $0.applies(to: reply, difference) }
      rows.append(
        Row(reply: reply, curl: curl, retriever: retriever, difference: difference, judgement: judgement))
    }
    let page = Page(replies: replies, rows: rows, version: try await runOnThread { try CurlClient.version() })
    try page.text.write(toFile: file, atomically: true, encoding: .utf8)
    print("differential: \(page.summary)")
    print("differential: wrote \(file)")
    for row in rows where row.judgement == nil {
      let (curl, retriever) = (row.curl, row.retriever)
      print(
        "no judgement: \(row.reply.identifier): \(row.difference.rawValue): curl \(curl.summary(besides: retriever)); "
          + "Retriever \(retriever.summary(besides: curl))")
    }
    for judgement in Judgement.all
    where !rows.contains(where: { judgement.applies(to: $0.reply, $0.difference) }) {
      print("unused judgement: “\(judgement.replies)”, \(judgement.difference.rawValue)")
    }
    return rows.allSatisfy { $0.judgement != nil } ? 0 : 1
  }

  private static func repeated(_ replies: [RawReply]) -> String {
    let counts = Dictionary(grouping: replies, by: \.identifier).filter { $0.value.count > 1 }
    return counts.keys.sorted().joined(separator: "; ")
  }
}
