/// A function's full name, as `fetchThumbnail(for:completion:)`.
package struct FunctionName: Sendable, Hashable, CustomStringConvertible {
  package var base: String
  /// One for each parameter; `_` where a call writes none.
  package var labels: [String]

  package init(base: String, labels: [String]) {
    self.base = base
    self.labels = labels
  }

  /// As the compiler and `@available(*, renamed:)` write it; without the backticks a keyword needs in source.
  package var description: String { "\(base)(\(labels.map { "\($0):" }.joined()))" }
}
