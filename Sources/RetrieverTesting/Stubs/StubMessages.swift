/// The sentences that explain requests that were not expected, or did not come.
enum StubMessages {
  /// How many requests or stubs a message lists.
  private static let maximumCount = 8

  static func unexpected(
    _ request: ReceivedRequest, reasons: [String], usedUp: [String],
    others: [(name: String, differences: [String])]
  ) -> String {
    var sentences = ["No stub answers \(request)."]
    sentences += reasons.map { "It is not in the recording: \($0)." }
    if reasons.isEmpty {
      sentences += usedUp.prefix(maximumCount).map { "All answers of \($0) have been used." }
    }
    if others.isEmpty, usedUp.isEmpty {
      sentences.append("There are no stubs.")
    } else if !others.isEmpty {
      // The nearest ones first.
      let sorted = others.enumerated().sorted {
        ($0.element.differences.count, $0.offset) < ($1.element.differences.count, $1.offset)
      }
      let listed = sorted.prefix(maximumCount).map { stub in
        "\(stub.element.name) (\(stub.element.differences.joined(separator: "; ")))"
      }
      sentences.append("The other stubs are: \(list(listed, total: others.count)).")
    }
    return sentences.joined(separator: " ")
  }

  static func wrongCount(
    _ pattern: RequestPattern, expected: String, found: Int, among requests: [ReceivedRequest]
  ) -> String {
    var sentences = [
      "Expected \(expected) for \(pattern), but \(found == 0 ? "there was none" : "there were \(found)")."
    ]
    if requests.isEmpty {
      sentences.append("No request was received.")
      return sentences.joined(separator: " ")
    }
    let listed = requests.prefix(maximumCount).map { "\($0)" }
    sentences.append("The requests were: \(list(listed, total: requests.count)).")
    let others = requests.map { ($0, pattern.match($0).differences) }.filter { !$0.1.isEmpty }
    if found == 0, let nearest = others.min(by: { $0.1.count < $1.1.count }) {
      sentences.append("The nearest is \(nearest.0): \(nearest.1.joined(separator: "; ")).")
    }
    return sentences.joined(separator: " ")
  }

  private static func list(_ texts: [String], total: Int) -> String {
    texts.joined(separator: ", ") + (total > texts.count ? " and \(total - texts.count) more" : "")
  }
}
