// The measurements and their targets.

/// A target for a row: for our value, its ratio to the peer's value, or its difference from it.
struct Bar {
  enum Subject { case ratio, figure, difference }

  let subject: Subject
  let isLowest: Bool
  let value: Double
  let text: String

  static func ratio(atLeast value: Double) -> Bar {
    Bar(subject: .ratio, isLowest: true, value: value, text: ">= \(short(value))x")
  }
  static func ratio(atMost value: Double) -> Bar {
    Bar(subject: .ratio, isLowest: false, value: value, text: "<= \(short(value))x")
  }
  static func figure(atLeast value: Double) -> Bar {
    Bar(subject: .figure, isLowest: true, value: value, text: ">= \(short(value))")
  }
  static func figure(atMost value: Double) -> Bar {
    Bar(subject: .figure, isLowest: false, value: value, text: "<= \(short(value))")
  }
  /// A target for our value minus the peer's.
  static func difference(atMost value: Double) -> Bar {
    Bar(subject: .difference, isLowest: false, value: value, text: "<= peer + \(short(value))")
  }
  static func difference(atLeast value: Double) -> Bar {
    Bar(
      subject: .difference, isLowest: true, value: value,
      text: value == 0 ? ">= peer" : ">= peer - \(short(-value))")
  }
}

/// A row of the table.
struct Question {
  let name: String
  let text: String
  let quantity: Quantity
  let ours: Contender
  let peer: Contender?
  /// The target; nil if the row is for information only.
  let bar: Bar?
}

/// Contenders that run alternately, and the rows that use their readings.
struct Measurement {
  enum Method {
    /// A client loads a page of the web server.
    case plain(page: String, at: WebServer.Listener = .http)
    /// A client sends the requests of a plan.
    case planned(RequestPlan)
    /// A client starts requests for a page at a fixed rate.
    case paced(page: String, at: WebServer.Listener)
    /// A client loads a page, while the look-ups of some names are stalled.
    case lookup(page: String)
    /// Many launches, each measured from the start of the process to its first response.
    case launches(page: String, count: Int)
    /// The holder holds all requests, then answers them.
    case held
    /// The holder holds all requests, then the client cancels them.
    case cancelled
    /// A client repeatedly makes a thumbnail of a picture in memory.
    case thumbnails(of: PictureFile)
    /// A client makes a thumbnail of a picture that arrives slowly.
    case trickled(PictureFile, bytesPerSecond: Int)
    /// A server makes thumbnails of a picture at distinct URLs.
    case served(PictureFile)
    /// A client makes one thumbnail of a picture, and its quality is measured.
    case quality(of: PictureFile)
    /// A client repeatedly reads Swift sources.
    case sources(folders: [String])
    /// Clients use a running Kennel.
    case kennel(KennelTask)
  }

  let name: String
  let method: Method
  let contenders: [Contender]
  let questions: [Question]

  /// Questions about throughput, CPU time and memory, for each peer.
  /// - Parameter bars: The targets; the keys are the last two parts of a row's name.
  static func comparison(
    _ name: String, _ text: String, ours: Contender, peers: [Contender], bars: [String: Bar] = [:]
  ) -> [Question] {
    let quantities: [(name: String, quantity: Quantity)] = [
      ("throughput", .throughput), ("cpu", .processorTime), ("memory", .peak),
    ]
    return quantities.flatMap { what in
      peers.map { peer in
        let row = "\(what.name).\(peer.program.rowName)"
        return Question(
          name: "\(name).\(row)", text: text, quantity: what.quantity, ours: ours, peer: peer, bar: bars[row])
      }
    }
  }

  static let cached: Measurement = {
    let ours = Contender(.retriever, "cached")
    return Measurement(
      name: "cached", method: .plain(page: WebServer.cacheablePage), contenders: [ours],
      questions: [
        Question(
          name: "cached.latency", text: "data(for:), 1 KiB, one at a time, from a URLCache in memory",
          quantity: .latency, ours: ours, peer: nil, bar: .figure(atMost: 30))
      ])
  }()

  static let post64: Measurement = {
    let (ours, c, go) = (Contender(.retriever, "post64"), Contender(.c, "post64"), Contender(.go, "post64"))
    let text = "upload(for:from:), 4 KiB POST, 64 concurrent"
    return Measurement(
      name: "post64", method: .plain(page: "post"), contenders: [ours, c, go],
      questions: [
        Question(
          name: "post64.throughput.c", text: text, quantity: .throughput, ours: ours, peer: c,
          bar: .ratio(atLeast: 0.8)),
        Question(
          name: "post64.throughput.go", text: text, quantity: .throughput, ours: ours, peer: go, bar: nil),
      ])
  }()

  static let largeBody: Measurement = {
    let (discarded, written) = (Contender(.curl, "-o /dev/null"), Contender(.curl, "-o FILE"))
    let ways: [(ours: Contender, text: String, peer: Contender, least: Double)] = [
      (Contender(.retriever, "download"), "download(from:), 1 GiB", written, 1.3),
      (Contender(.retriever, "chunks"), "for try await chunk in bytes.chunks, 1 GiB", discarded, 0.9),
      (Contender(.retriever, "bytes"), "for try await byte in bytes, 1 GiB", discarded, 0.4),
    ]
    let c = Contender(.c, "download")
    var questions: [Question] = []
    for way in ways {
      questions.append(
        Question(
          name: "\(way.ours.mode).throughput.curl", text: way.text, quantity: .bandwidth, ours: way.ours,
          peer: way.peer, bar: .ratio(atLeast: way.least)))
      questions.append(
        Question(
          name: "\(way.ours.mode).memory", text: "\(way.text): resident memory above start",
          quantity: .growth,
          ours: way.ours, peer: c, bar: .figure(atMost: 40)))
    }
    return Measurement(
      name: "body", method: .plain(page: BenchFile.large.name),
      contenders: ways.map(\.ours) + [written, discarded, c],
      questions: questions)
  }()

  static let lines: Measurement = {
    let ours = Contender(.retriever, "lines")
    let (strings, slices) = (Contender(.go, "lines"), Contender(.go, "linebytes"))
    let text = "for try await line in bytes.lines, 100-byte lines, 512 MiB"
    return Measurement(
      name: "lines", method: .plain(page: BenchFile.lines.name), contenders: [ours, strings, slices],
      questions: [
        Question(
          name: "lines.throughput", text: text, quantity: .bandwidth, ours: ours, peer: nil,
          bar: .figure(atLeast: 600)),
        Question(
          name: "lines.throughput.go", text: "\(text); Go: Scanner.Text", quantity: .bandwidth, ours: ours,
          peer: strings, bar: .ratio(atLeast: 1)),
        Question(
          name: "lines.throughput.go-bytes", text: "\(text); Go: Scanner.Bytes, which makes no strings",
          quantity: .bandwidth, ours: ours, peer: slices, bar: nil),
      ])
  }()

  static let suspended: Measurement = {
    let ours = Contender(.retriever, "suspended", count: 10_000)
    let single = Contender(.retriever, "suspended", count: 1)
    let c = Contender(.c, "suspended", count: 10_000)
    let text = "10,000 concurrent requests held by the server"
    return Measurement(
      name: "suspended", method: .held, contenders: [ours, c, single],
      questions: [
        Question(
          name: "suspended.threads", text: "\(text): threads, compared with one request", quantity: .threads,
          ours: ours, peer: single, bar: .ratio(atMost: 1)),
        Question(
          name: "suspended.memory.c", text: "\(text): resident memory", quantity: .resident, ours: ours,
          peer: c, bar: .ratio(atMost: 1.3)),
        Question(
          name: "suspended.completed", text: "\(text): completed", quantity: .completed, ours: ours,
          peer: c, bar: .figure(atLeast: 10_000)),
      ])
  }()

  static let startup: Measurement = {
    let (ours, foundation) = (Contender(.retriever, "startup"), Contender(.foundation, "startup"))
    let c = Contender(.c, "startup")
    let text = "process start to first response"
    return Measurement(
      name: "startup", method: .launches(page: BenchFile.small.name, count: 10),
      contenders: [ours, foundation, c],
      questions: [
        Question(
          name: "startup.foundation", text: text, quantity: .startup, ours: ours, peer: foundation,
          bar: .ratio(atMost: 1)),
        Question(name: "startup.c", text: text, quantity: .startup, ours: ours, peer: c, bar: nil),
      ])
  }()

  static let cancel: Measurement = {
    let (ours, c) = (
      Contender(.retriever, "cancel", count: 10_000), Contender(.c, "cancel", count: 10_000)
    )
    let text = "cancelling 10,000 in flight"
    return Measurement(
      name: "cancel", method: .cancelled, contenders: [ours, c],
      questions: [
        Question(
          name: "cancel.time", text: text, quantity: .milliseconds, ours: ours, peer: c,
          bar: .figure(atMost: 1000)),
        Question(
          name: "cancel.completed", text: "\(text): ended with URLError.cancelled", quantity: .completed,
          ours: ours, peer: c, bar: .figure(atLeast: 10_000)),
        Question(
          name: "cancel.files", text: "\(text): files left open", quantity: .filesLeft, ours: ours, peer: c,
          bar: .figure(atMost: 0)),
      ])
  }()
}
