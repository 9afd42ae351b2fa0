/// The reason why twins could not be verified.
package struct VerifierError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
