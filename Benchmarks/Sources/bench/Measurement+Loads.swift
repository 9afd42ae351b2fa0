// The rows about bodies of other sizes and kinds, many hosts, traffic like that of an API, and a fixed rate.

extension Measurement {
  static var bodies: [Measurement] {
    let compressed = CompressedFile.all.map { file in
      // Go's standard library does not decode brotli.
      rows(
        file.coding.rawValue, "data(from:), 64 KiB of JSON, compressed with \(file.coding)", page: file.name,
        ours: Contender(.retriever, "get64"),
        peers: [
          Contender(.c, "get64", options: ["--compressed", "yes"]), Contender(.foundation, "get64"),
        ] + (file.coding == .gzip ? [Contender(.go, "get64", options: ["--compressed", "yes"])] : []))
    }
    let upload = ["--size", "\(1 << 20)"]
    return [
      rows("100b", "data(from:), 100 bytes", page: BenchFile.tiny.name, mode: "get64"),
      rows("100k", "data(from:), 100 KiB", page: BenchFile.medium.name, mode: "get64"),
    ] + compressed + [
      rows(
        "json", "data(from:), 4 KiB of JSON, decoded", page: BenchFile.shortList.name, mode: "json64",
        peers: [.go, .foundation]),
      rows(
        "upload", "upload(for:from:), 1 MiB", page: WebServer.uploadPage, mode: "post64", options: upload),
    ]
  }

  private static func rows(
    _ name: String, _ text: String, page: String, mode: String,
    peers: [Contender.Program] = [.c, .go, .foundation], options: [String] = []
  ) -> Measurement {
    rows(
      name, text, page: page, ours: Contender(.retriever, mode, options: options),
      peers: peers.map { Contender($0, mode, options: options) })
  }

  private static func rows(
    _ name: String, _ text: String, page: String, ours: Contender, peers: [Contender]
  ) -> Measurement {
    Measurement(
      name: "bodies.\(name)", method: .plain(page: page), contenders: [ours] + peers,
      questions: comparison("bodies.\(name)", "\(text), 64 concurrent", ours: ours, peers: peers))
  }

  /// C is not a peer of the API, because it has no customary decoder of JSON.
  static let traffic = [
    rows(
      .api, "5 hosts, https with HTTP/1.1 and HTTP/2, GET and POST of JSON, pauses, 64 concurrent",
      mode: "api64", options: ["--pause", "20"], isSecure: true, peers: [.go, .foundation]),
    rows(
      .hosts, "data(for:), 1 KiB, 1,000 hosts in turn, 64 concurrent", mode: "plan64", options: [],
      isSecure: false, peers: [.c, .go, .foundation]),
  ]

  private static func rows(
    _ plan: RequestPlan, _ text: String, mode: String, options: [String], isSecure: Bool,
    peers: [Contender.Program]
  ) -> Measurement {
    let ours = Contender(.retriever, mode, options: options)
    let peers = peers.map {
      // The C client has no mode for plans: it loads the URLs of a plan, if there is one.
      Contender(
        $0, $0 == .c ? "get64" : mode, usesSystemStore: isSecure && $0 == .foundation, options: options)
    }
    return Measurement(
      name: "traffic.\(plan.rawValue)", method: .planned(plan), contenders: [ours] + peers,
      questions: comparison("traffic.\(plan.rawValue)", text, ours: ours, peers: peers))
  }

  static func paced(over listener: WebServer.Listener) -> Measurement {
    let (ours, go) = (Contender(.retriever, "paced"), Contender(.go, "paced"))
    let quantities: [(name: String, quantity: Quantity)] = [
      ("rate", .rate), ("p50", .medianLatency), ("p99", .percentile99), ("p999", .percentile999),
    ]
    return Measurement(
      name: "paced\(listener.suffix)", method: .paced(page: BenchFile.small.name, at: listener),
      contenders: [ours, go],
      questions: quantities.map {
        Question(
          name: "paced\(listener.suffix).\($0.name).go",
          text: "data(from:), 1 KiB, at half of the maximum rate\(listener.text)", quantity: $0.quantity,
          ours: ours, peer: go, bar: nil)
      })
  }
}
