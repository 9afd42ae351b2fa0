/// Options for a check.
package struct CheckOptions: Sendable {
  /// The names of additional functions that call their closure exactly once.
  package var callsOnce: Set<String> = []

  /// The type aliases of other files.
  package var aliases = SharedAliases()

  /// Whether exits are reported that only the alternative of a function cannot handle: `return nil` and `return false`
  /// without a call, and errors after a call. Other callers may know what they mean.
  package var coversAlternatives = false

  /// Whether functions that do not parse are checked as well.
  var readsDamagedCode = false

  /// Whether fix-its are checked by applying them. Those that do not remove their finding are dropped.
  var verifiesFixIts = true

  package init() {}
}
