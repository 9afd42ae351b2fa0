// The rows about a running Kennel.

extension Measurement {
  /// One of Kennel's thumbnail sizes.
  static let kennelThumbnailSize = 480

  static var kennel: [Measurement] {
    [
      page("thumbnail", "posts/1/thumbnail?size=320&format=jpeg", "a cached thumbnail", bar: 0.5),
      page("page", "", "the page without signing in", bar: nil, cpu: 60),
      page("posts", "posts", "the list of posts", bar: nil, cpu: 80),
      unchanged("page", "", "the page without signing in"),
      unchanged("posts", "posts", "the list of posts"),
    ] + KennelData.pictures.map(newThumbnails) + [hearts, listeners]
  }

  /// - Parameter cpu: the maximum processor time of a request in microseconds.
  private static func page(
    _ name: String, _ path: String, _ text: String, bar: Double?, cpu: Double? = nil
  ) -> Measurement {
    let (ours, nginx) = (Contender(.kennel, "serve"), Contender(.nginx, "the same bytes as a file"))
    let text = "Kennel: \(text), 64 concurrent"
    return Measurement(
      name: "kennel.\(name)", method: .kennel(.page(path)), contenders: [ours, nginx],
      questions: [
        Question(
          name: "kennel.\(name).throughput", text: text, quantity: .throughput, ours: ours, peer: nginx,
          bar: bar.map { .ratio(atLeast: $0) }),
        Question(
          name: "kennel.\(name).cpu", text: text, quantity: .processorTime, ours: ours, peer: nginx,
          bar: cpu.map { .figure(atMost: $0) }),
      ])
  }

  private static func unchanged(_ name: String, _ path: String, _ text: String) -> Measurement {
    let ours = Contender(.kennel, "serve")
    return Measurement(
      name: "kennel.\(name)-unchanged", method: .kennel(.unchanged(path)), contenders: [ours],
      questions: [
        Question(
          name: "kennel.\(name)-unchanged.cpu", text: "Kennel: \(text), 304, 64 concurrent",
          quantity: .processorTime, ours: ours, peer: nil, bar: .figure(atMost: 40))
      ])
  }

  private static func newThumbnails(_ picture: PictureFile) -> Measurement {
    besideThumbor(
      Contender(.kennel, "serve"), measurement: "kennel.new.\(picture.name)",
      rows: "kennel.new-\(picture.surface.rawValue)", method: .kennel(.newThumbnails(picture)),
      text:
        "Kennel: new thumbnails, \(kennelThumbnailSize) pixels, of \(picture.surface.rawValue) JPEGs of 2.8 megapixels, 4 concurrent"
    )
  }

  private static let hearts: Measurement = {
    let (ours, single) = (Contender(.kennel, "serve", count: 16), Contender(.kennel, "serve", count: 1))
    return Measurement(
      name: "kennel.hearts", method: .kennel(.hearts), contenders: [ours, single],
      questions: [
        Question(
          name: "kennel.hearts.throughput",
          text: "Kennel: hearts added and removed, 16 concurrent, compared with one",
          quantity: .throughput, ours: ours, peer: single, bar: nil),
        Question(
          name: "kennel.hearts.latency", text: "Kennel: storing a heart on the disk, one at a time",
          quantity: .latency, ours: single, peer: nil, bar: nil),
      ])
  }()

  private static let listeners: Measurement = {
    let count = 5_000
    let ours = Contender(.kennel, "serve", count: count)
    let single = Contender(.kennel, "serve", count: 1)
    let plain = Contender(.microhttpd, "alone", count: count)
    let text = "Kennel: 5,000 listeners to events"
    return Measurement(
      name: "kennel.listeners", method: .kennel(.listeners), contenders: [ours, single, plain],
      questions: [
        Question(
          name: "kennel.listeners.heart", text: "\(text): from a heart to its last notification",
          quantity: .milliseconds, ours: ours, peer: nil, bar: .figure(atMost: 1_000)),
        Question(
          name: "kennel.listeners.memory", text: "\(text): resident memory per listener",
          quantity: .perListener, ours: ours, peer: plain, bar: .difference(atMost: 16)),
        Question(
          name: "kennel.listeners.threads", text: "\(text): threads, compared with one listener",
          quantity: .threadCount, ours: ours, peer: single, bar: .difference(atMost: 2)),
      ])
  }()
}
