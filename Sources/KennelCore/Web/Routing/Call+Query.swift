import HTTPService

extension Call {
  /// An id in the query; nil when there is none.
  ///
  /// - Parameter orZero: whether 0, which is before all ids, is one as well.
  /// - Throws: a problem when it is something else.
  func queryID(_ name: String, orZero: Bool = false) throws(Problem) -> Int64? {
    guard let text = request.query(name), !text.isEmpty else { return nil }
    if orZero, text == "0" { return 0 }
    guard let number = Int64(identifier: text) else {
      throw .badRequest("The parameter \(name) has to be the number of something, as in ?\(name)=12.")
    }
    return number
  }

  /// A number in the query.
  ///
  /// - Throws: a problem when it is something else, or out of range: who asked for more would take what comes for all.
  func queryNumber(_ name: String, default standard: Int, in range: ClosedRange<Int>) throws(Problem) -> Int {
    guard let text = request.query(name), !text.isEmpty else { return standard }
    guard let number = Int64(identifier: text).map(Int.init), range.contains(number) else {
      throw .badRequest(
        "The parameter \(name) has to be a number from \(range.lowerBound) to \(range.upperBound), as in ?\(name)=\(standard)."
      )
    }
    return number
  }
}
