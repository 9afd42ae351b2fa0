import KennelModel

extension Call {
  /// Returns where the requested page of posts begins: after the cursor `before`, or with the month `month`.
  ///
  /// - Throws: a problem if a value is not valid.
  func pageStart() throws(Problem) -> PageStart {
    let before = request.query("before") ?? ""
    let month = request.query("month") ?? ""
    if before.isEmpty, month.isEmpty { return .newest }
    guard before.isEmpty || month.isEmpty else {
      throw .badRequest("The parameters “before” and “month” cannot be used together. Use one of them.")
    }
    if let month = Month(month) { return .month(month) }
    if let position = PostPosition(before) { return .after(position) }
    // Earlier versions sent ids.
    if let id = Int64(identifier: before) { return .afterPost(id) }
    throw .badRequest(
      before.isEmpty
        ? "The parameter “month” must be a year and a month, such as ?month=2026-07."
        : "The parameter “before” must be the value “next” of another page, or the id of a post.")
  }
}
