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
