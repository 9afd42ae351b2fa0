/// The full name of a function, such as `fetchThumbnail(for:completion:)`.
package struct FunctionName: Sendable, Hashable, CustomStringConvertible {
  package var base: String
  /// The argument labels, one for each parameter. `_` stands for no label.
  package var labels: [String]

  package init(base: String, labels: [String]) {
    self.base = base
    self.labels = labels
  }

  /// The name as the compiler and `@available(*, renamed:)` write it, without the backticks that keywords need.
  package var description: String { "\(base)(\(labels.map { "\($0):" }.joined()))" }
}
