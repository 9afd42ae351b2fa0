// The order of the measurements, and their sections on the page.

struct Section {
  let title: String
  let measurements: [Measurement]

  static let all = [
    Section(
      title: "Networking",
      measurements: Measurement.reused + Measurement.bodies + Measurement.traffic + Measurement.pacedRows
        + Measurement.otherLoads),
    Section(title: "Images", measurements: Measurement.images),
    Section(title: "Kennel", measurements: Measurement.kennel),
    Section(title: "`adopt`", measurements: [.adopt]),
  ]
}

extension Measurement {
  static let all = Section.all.flatMap(\.measurements)

  fileprivate static let reused =
    WebServer.Listener.reused.map(get64) + WebServer.Listener.reused.map(get1)

  fileprivate static let pacedRows = WebServer.Listener.reused.map(paced)

  fileprivate static let otherLoads = [
    connections(resumed: false), connections(resumed: true), queue, lookup, cached, post64, largeBody, lines,
    suspended,
    startup, cancel,
  ]

  /// The products of the package that the measurement needs, without the program `bench`.
  var products: [String] {
    contenders.map(\.program).flatMap { program -> [String] in
      switch program {
      case .retriever, .transport: ["bench-retriever"]
      case .foundation: ["bench-foundation"]
      case .images, .libvips, .pillow, .jpeg: ["bench-images", "bench-pictures"]
      case .service, .thumbor: ["bench-thumbnails", "bench-images", "bench-pictures"]
      case .kennel, .microhttpd, .nginx: ["kennel", "bench-images", "bench-pictures"]
      case .adopt, .parser: ["bench-adopt"]
      case .c, .go, .curl, .wrk, .h2load: []
      }
    }
  }
}
