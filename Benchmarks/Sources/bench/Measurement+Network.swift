// The rows about small requests over http, https and HTTP/2, new connections, queues and name look-ups.

extension Measurement {
  static var network: [Measurement] {
    WebServer.Listener.reused.map(get64) + WebServer.Listener.reused.map(get1)
      + [connections(resumed: false), connections(resumed: true), queue, lookup]
  }

  private static func get64(over listener: WebServer.Listener) -> Measurement {
    let ours = Contender(.retriever, "get64")
    let (c, go) = (Contender(.c, "get64"), Contender(.go, "get64"))
    let limit = listener == .http2 ? Contender(.h2load, "") : Contender(.wrk, "")
    let name = "get64\(listener.suffix)"
    let text = "data(from:), 1 KiB, 64 concurrent\(listener.text)"
    func question(
      _ what: String, _ quantity: Quantity, against peer: Contender, _ bar: Bar?, ours: Contender = ours
    ) -> Question {
      let store = ours.usesSystemStore ? ", system's trust store" : ""
      return Question(
        name: "\(name).\(what)", text: text + store, quantity: quantity, ours: ours, peer: peer, bar: bar)
    }
    var questions = [
      question("throughput.c", .throughput, against: c, .ratio(atLeast: 0.85)),
      question("cpu.c", .processorTime, against: c, .ratio(atMost: 1.3)),
      question("throughput.go", .throughput, against: go, nil),
      question("cpu.go", .processorTime, against: go, nil),
      question("cpu.\(limit.program.rawValue)", .processorTime, against: limit, nil),
    ]
    var contenders = [ours, c, go, limit]
    switch listener {
    case .http:
      let foundation = Contender(.foundation, "get64")
      contenders.append(foundation)
      questions += [
        question("throughput.foundation", .throughput, against: foundation, .ratio(atLeast: 12)),
        question("cpu.foundation", .processorTime, against: foundation, .ratio(atMost: 1.0 / 12)),
      ]
    case .https:
      let byDefault = Contender(.retriever, "get64", usesSystemStore: true)
      contenders.append(byDefault)
      questions.append(
        question("default.throughput.c", .throughput, against: c, .ratio(atLeast: 0.85), ours: byDefault))
    case .http2, .fullHandshakes: break
    }
    return Measurement(
      name: name, method: .plain(page: BenchFile.small.name, at: listener), contenders: contenders,
      questions: questions)
  }

  private static func get1(over listener: WebServer.Listener) -> Measurement {
    let (ours, c, go) = (Contender(.retriever, "get1"), Contender(.c, "get1"), Contender(.go, "get1"))
    let foundation = Contender(.foundation, "get1")
    let name = "get1\(listener.suffix)"
    let text = "data(from:), 1 KiB, one at a time\(listener.text)"
    var questions = [
      Question(
        name: "\(name).latency.c", text: text, quantity: .latency, ours: ours, peer: c,
        bar: .ratio(atMost: 1.15)),
      Question(name: "\(name).latency.go", text: text, quantity: .latency, ours: ours, peer: go, bar: nil),
    ]
    if listener == .http {
      questions.append(
        Question(
          name: "\(name).latency.foundation", text: text, quantity: .latency, ours: ours, peer: foundation,
          bar: nil))
    }
    return Measurement(
      name: name, method: .plain(page: BenchFile.small.name, at: listener),
      contenders: listener == .http ? [ours, c, go, foundation] : [ours, c, go], questions: questions)
  }

  /// Measures new connections. The server controls resumption: a separate listener keeps no sessions and sends no
  /// tickets.
  private static func connections(resumed: Bool) -> Measurement {
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

  private static let queue: Measurement = {
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

  private static let lookup: Measurement = {
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
