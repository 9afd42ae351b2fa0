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

/// An async function, identified by its type and name.
package struct AsyncFunction: Sendable, Hashable {
  /// The type as it is written, such as `Outer.Inner`. Empty for a global function.
  package let type: String
  package let name: FunctionName

  package init(type: String, name: FunctionName) {
    self.type = type
    self.name = name
  }
}
