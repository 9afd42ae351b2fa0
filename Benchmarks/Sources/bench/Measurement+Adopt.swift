// The rows about `adopt check`, compared with parsing alone.

extension Measurement {
  static let adopt: Measurement = {
    let (ours, parser) = (Contender(.adopt, "check"), Contender(.parser, "parse"))
    return Measurement(
      name: "adopt", method: .sources(folders: ["Sources", "Tests", "Adopt/Sources"]),
      contenders: [ours, parser],
      questions: [
        Question(
          name: "adopt.check.parse",
          text: "adopt check on this repository, all processors, compared with parsing alone",
          quantity: .fileTime, ours: ours, peer: parser, bar: .ratio(atMost: 2))
      ])
  }()
}
