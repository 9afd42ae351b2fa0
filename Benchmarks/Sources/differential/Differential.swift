import Foundation
import TestSupport

/// Sends the same replies to `curl`, and to Retriever over both transports, and writes tables of the differences: between
/// `curl` and Retriever, and between libcurl and the transport of Retriever's own.
///
/// usage: differential FILE
/// The exit status is 1 if there is a difference without a judgement.
@main
enum Differential {
  struct Row {
    var reply: RawReply
    var reference: Outcome
    var result: Outcome
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
    let retriever = await RetrieverClient(transport: .libcurl).load(replies, from: server)
    let own = await RetrieverClient(transport: .own).load(replies, from: server)
    let rows = Self.rows(replies, try await curl, retriever, Judgement.all)
    let ownRows = Self.rows(replies, retriever, own, Judgement.own)
    let version = try await runOnThread { try CurlClient.version() }
    let page = Page(replies: replies, rows: rows, ownRows: ownRows, version: version)
    try page.text.write(toFile: file, atomically: true, encoding: .utf8)
    print("differential: \(page.summary(of: rows))")
    print("differential: with the transport of its own instead of libcurl: \(page.summary(of: ownRows))")
    print("differential: wrote \(file)")
    for row in rows + ownRows where row.judgement == nil {
      let (reference, result) = (row.reference, row.result)
      print(
        "no judgement: \(row.reply.identifier): \(row.difference.rawValue): \(reference.summary(besides: result)); "
          + "Retriever \(result.summary(besides: reference))")
    }
    for (judgements, rows) in [(Judgement.all, rows), (Judgement.own, ownRows)] {
      for judgement in judgements
      where !rows.contains(where: { judgement.applies(to: $0.reply, $0.difference) }) {
        print("unused judgement: “\(judgement.replies)”, \(judgement.difference.rawValue)")
      }
    }
    return (rows + ownRows).allSatisfy { $0.judgement != nil } ? 0 : 1
  }

  private static func rows(
    _ replies: [RawReply], _ references: [Outcome], _ results: [Outcome], _ judgements: [Judgement]
  ) -> [Row] {
    zip(replies, zip(references, results)).compactMap { reply, outcomes in
      let (reference, result) = outcomes
      guard let difference = Difference(reference: reference, result: result) else { return nil }
      let judgement = judgements.first { $0.applies(to: reply, difference) }
      return Row(
        reply: reply, reference: reference, result: result, difference: difference, judgement: judgement)
    }
  }

  private static func repeated(_ replies: [RawReply]) -> String {
    let counts = Dictionary(grouping: replies, by: \.identifier).filter { $0.value.count > 1 }
    return counts.keys.sorted().joined(separator: "; ")
  }
}
