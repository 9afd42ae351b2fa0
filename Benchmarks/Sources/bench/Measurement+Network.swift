// The rows about small requests over http, https and HTTP/2, new connections, queues and name look-ups.

extension Measurement {
  static func get64(over listener: WebServer.Listener) -> Measurement {
    let ours = Contender(.retriever, "get64")
    let peers = [
      Contender(.c, "get64"), Contender(.go, "get64"),
      // FoundationNetworking reads only the system's trust store.
      Contender(.foundation, "get64", usesSystemStore: listener.isSecure),
    ]
    let onLoops = Contender(.transport, "get64", runsOnLoops: true)
    let limit = listener == .http2 ? Contender(.h2load, "") : Contender(.wrk, "")
    let name = "get64\(listener.suffix)"
    let text = "data(from:), 1 KiB, 64 concurrent\(listener.text)"
    func question(
      _ what: String, _ quantity: Quantity, against peer: Contender, _ bar: Bar?, ours: Contender = ours
    ) -> Question {
      let store =
        ours.usesSystemStore
        ? ", system's trust store" : ours.runsOnLoops ? ", on TransferExecutor and the own transport" : ""
      return Question(
        name: "\(name).\(what)", text: text + store, quantity: quantity, ours: ours, peer: peer, bar: bar)
    }
    var bars: [String: Bar] = ["throughput.c": .ratio(atLeast: 0.85), "cpu.c": .ratio(atMost: 1.3)]
    if listener == .http {
      bars["throughput.foundation"] = .ratio(atLeast: 12)
      bars["cpu.foundation"] = .ratio(atMost: 1.0 / 12)
    }
    let limitRow = "cpu.\(limit.program.rowName)"
    var questions =
      comparison(name, text, ours: ours, peers: peers, bars: bars) + [
        question(limitRow, .processorTime, against: limit, nil),
        question("executor.throughput.go", .throughput, against: peers[1], .ratio(atLeast: 1), ours: onLoops),
        question("executor.cpu.go", .processorTime, against: peers[1], nil, ours: onLoops),
        question("executor.\(limitRow)", .processorTime, against: limit, nil, ours: onLoops),
      ]
    var contenders = [ours, onLoops] + peers + [limit]
    if listener == .https {
      let byDefault = Contender(.retriever, "get64", usesSystemStore: true)
      contenders.append(byDefault)
      questions.append(
        question(
          "default.throughput.c", .throughput, against: peers[0], .ratio(atLeast: 0.85), ours: byDefault))
    }
    return Measurement(
      name: name, method: .plain(page: BenchFile.small.name, at: listener), contenders: contenders,
      questions: questions)
  }

  static func get1(over listener: WebServer.Listener) -> Measurement {
    let ours = Contender(.retriever, "get1")
    let onLoops = Contender(.transport, "get1", runsOnLoops: true)
    let (c, go, foundation) = (Contender(.c, "get1"), Contender(.go, "get1"), Contender(.foundation, "get1"))
    let name = "get1\(listener.suffix)"
    let text = "data(from:), 1 KiB, one at a time\(listener.text)"
    func question(_ what: String, against peer: Contender, _ bar: Bar?, ours: Contender = ours) -> Question {
      let executor = ours.runsOnLoops ? ", on TransferExecutor and the own transport" : ""
      return Question(
        name: "\(name).\(what)", text: text + executor, quantity: .latency, ours: ours, peer: peer, bar: bar)
    }
    var questions = [
      question("latency.c", against: c, .ratio(atMost: 1.15)),
      question("latency.go", against: go, .ratio(atMost: 1)),
      question("executor.latency.go", against: go, .ratio(atMost: 1), ours: onLoops),
    ]
    if listener == .http { questions.append(question("latency.foundation", against: foundation, nil)) }
    return Measurement(
      name: name, method: .plain(page: BenchFile.small.name, at: listener),
      contenders: [ours, onLoops, c, go] + (listener == .http ? [foundation] : []), questions: questions)
  }

  /// Measures new connections. The server controls resumption: a separate listener keeps no sessions and sends no
  /// tickets.
  static func connections(resumed: Bool) -> Measurement {
    let name = "connections.\(resumed ? "resumed" : "full")"
    let (ours, c) = (Contender(.retriever, "connections"), Contender(.c, "connections"))
    let byDefault = Contender(.retriever, "connections", usesSystemStore: true)
    let text = "new TLS connections, one after the other, \(resumed ? "sessions resumed" : "full handshakes")"
    func questions(_ ours: Contender, _ name: String, _ text: String) -> [Question] {
      [
        Question(
          name: "\(name).throughput.c", text: text, quantity: .connections, ours: ours, peer: c,
          bar: .ratio(atLeast: 0.95)),
        Question(
          name: "\(name).cpu", text: text, quantity: .connectionTime, ours: ours, peer: c,
          bar: .figure(atMost: resumed ? 1 : 2)),
      ]
    }
    return Measurement(
      name: name, method: .plain(page: WebServer.closingPage, at: resumed ? .https : .fullHandshakes),
      contenders: [ours, byDefault, c],
      questions: questions(ours, name, text)
        + questions(byDefault, "\(name).default", "\(text), system's trust store")
        + [
          Question(
            name: "\(name).share", text: "\(text): resumed", quantity: .resumedShare, ours: ours, peer: c,
            bar: resumed ? .figure(atLeast: 95) : .figure(atMost: 0))
        ])
  }

  static let queue: Measurement = {
    let many = Contender(.retriever, "queue", count: 100_000)
    let few = Contender(.retriever, "queue", count: 1_000)
    return Measurement(
      name: "queue", method: .plain(page: BenchFile.small.name, at: .http), contenders: [many, few],
      questions: [
        Question(
          name: "queue.time", text: "100,000 loads queued to one host, compared with 1,000",
          quantity: .loadTime, ours: many, peer: few, bar: .ratio(atMost: 1.3)),
        Question(
          name: "queue.memory", text: "100,000 loads queued to one host: resident memory above start",
          quantity: .growth, ours: many, peer: few, bar: nil),
      ])
  }()

  static let lookup: Measurement = {
    let (stalled, none) = (
      Contender(.retriever, "lookup", count: 1), Contender(.retriever, "lookup", count: 0)
    )
    let text = "a name look-up that takes 8 s"
    return Measurement(
      name: "lookup", method: .lookup(page: BenchFile.small.name), contenders: [stalled, none],
      questions: [
        Question(
          name: "lookup.delay", text: "\(text): the slowest other load, compared with no stall",
          quantity: .slowest, ours: stalled, peer: none, bar: .difference(atMost: 10)),
        Question(
          name: "lookup.timeout", text: "\(text): the end of a load with a time-out of 1 s",
          quantity: .timeout, ours: stalled, peer: nil, bar: .figure(atMost: 1100)),
        Question(
          name: "lookup.cancel", text: "\(text): from cancelling its load to the end of the load",
          quantity: .cancellation, ours: stalled, peer: nil, bar: nil),
      ])
  }()
}
