/// The answers of one stub, in their order.
struct AnswerSequence: Sendable {
  typealias Handler = @Sendable (ReceivedRequest) async throws -> StubAnswer

  private enum Kind: Sendable {
    case list([StubAnswer])
    case handler(Handler)
  }

  private let kind: Kind
  /// How many requests get an answer; nil for any number.
  let maximumCount: Int?
  /// How many requests got an answer.
  private(set) var count = 0

  /// - Parameter maximumCount: nil to repeat the last answer.
  init(_ answers: [StubAnswer], maximumCount: Int?) {
    kind = .list(answers)
    self.maximumCount = answers.isEmpty ? 0 : maximumCount
  }

  init(maximumCount: Int?, _ handler: @escaping Handler) {
    kind = .handler(handler)
    self.maximumCount = maximumCount
  }

  var isUsedUp: Bool { maximumCount.map { count >= $0 } ?? false }

  /// Returns what produces the answer to the next request; nil if all have been used.
  mutating func next() -> Handler? {
    guard !isUsedUp else { return nil }
    defer { count += 1 }
    switch kind {
    case .handler(let handler): return handler
    case .list(let answers):
      guard let last = answers.last else { return nil }
      let answer = count < answers.count ? answers[count] : last
      return { _ in answer }
    }
  }
}
