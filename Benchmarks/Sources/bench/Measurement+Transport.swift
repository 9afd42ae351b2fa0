// The rows of docs/transport.md: Retriever on libcurl and on the transport of its own.

extension Measurement {
  /// These are measured only if they are asked for, because most of them compare Retriever with itself.
  static let transport =
    WebServer.Listener.reused.map(transportLoads) + WebServer.Listener.reused.map(transportLatency)
    + [transportBodies, transportStart]

  private static func question(
    _ name: String, _ text: String, _ quantity: Quantity, _ peer: Contender, _ ours: Contender
  ) -> Question {
    Question(name: "transport.\(name)", text: text, quantity: quantity, ours: ours, peer: peer, bar: nil)
  }

  private static func transportLoads(over listener: WebServer.Listener) -> Measurement {
    let ours = Contender(.transport, "get64")
    let onLoops = Contender(.transport, "get64", runsOnLoops: true)
    let pairs = [
      (ours, Contender(.retriever, "get64")), (onLoops, Contender(.retriever, "get64", runsOnLoops: true)),
      (ours, Contender(.c, "get64")), (ours, Contender(.go, "get64")),
      (ours, listener == .http2 ? Contender(.h2load, "") : Contender(.wrk, "")),
    ]
    let text = "1 KiB, 64 concurrent\(listener.text)"
    let quantities: [(name: String, quantity: Quantity)] = [
      ("throughput", .throughput), ("cpu", .processorTime), ("memory", .peak),
    ]
    return Measurement(
      name: "transport.get64\(listener.suffix)", method: .plain(page: BenchFile.small.name, at: listener),
      contenders: [onLoops, ours] + pairs.map(\.1),
      questions: quantities.flatMap { what in
        // The load generators report neither memory nor a throughput that is comparable.
        pairs.filter { what.name == "cpu" || ![.wrk, .h2load].contains($0.1.program) }.map {
          question(
            "get64\(listener.suffix).\(what.name)", $0.0.runsOnLoops ? "\(text), on TransferExecutor" : text,
            what.quantity, $0.1, $0.0)
        }
      })
  }

  private static func transportLatency(over listener: WebServer.Listener) -> Measurement {
    let ours = Contender(.transport, "get1")
    let peers = [Contender(.retriever, "get1"), Contender(.c, "get1"), Contender(.go, "get1")]
    return Measurement(
      name: "transport.get1\(listener.suffix)", method: .plain(page: BenchFile.small.name, at: listener),
      contenders: [ours] + peers,
      questions: peers.map {
        question(
          "get1\(listener.suffix).latency", "1 KiB, one at a time\(listener.text)", .latency, $0, ours)
      })
  }

  private static let transportBodies: Measurement = {
    let ways = [("download", "-o FILE"), ("chunks", "-o /dev/null")]
    var contenders: [Contender] = []
    var questions: [Question] = []
    for (mode, curl) in ways {
      let (ours, present) = (Contender(.transport, mode), Contender(.retriever, mode))
      let peers = [present, Contender(.curl, curl)]
      contenders += [ours] + peers
      questions += peers.map { question("\(mode).throughput", "1 GiB, \(mode)", .bandwidth, $0, ours) }
      questions.append(
        question("\(mode).memory", "1 GiB, \(mode): memory above start", .growth, present, ours))
    }
    return Measurement(
      name: "transport.body", method: .plain(page: BenchFile.large.name), contenders: contenders,
      questions: questions)
  }()

  private static let transportStart: Measurement = {
    let ours = Contender(.transport, "startup")
    let peers = [Contender(.retriever, "startup"), Contender(.c, "startup")]
    return Measurement(
      name: "transport.startup", method: .launches(page: BenchFile.small.name, count: 10),
      contenders: [ours] + peers,
      questions: peers.map { question("startup", "process start to first response", .startup, $0, ours) })
  }()
}
