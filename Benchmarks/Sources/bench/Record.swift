// The results of a run: build/bench.json with every reading.
import Foundation

struct Record {
  let rows: [Row]
  let run: Results.Run

  func json() throws -> Data {
    struct Entry: Encodable {
      let name, text, unit, verdict: String
      let ours, peer, ratio: Double?
      let oursAll, peerAll: [Double]
      let peerName, bar, problem: String?
    }
    struct File: Encodable {
      let run: Results.Run
      let rows: [Entry]
    }
    let entries = rows.map {
      Entry(
        name: $0.question.name, text: $0.question.text, unit: $0.question.quantity.unit,
        verdict: $0.verdict.rawValue, ours: $0.ours, peer: $0.peer, ratio: $0.ratio, oursAll: $0.oursAll,
        peerAll: $0.peerAll, peerName: $0.question.peer?.label, bar: $0.question.bar?.text,
        problem: $0.problem)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(File(run: run, rows: entries))
  }
}
