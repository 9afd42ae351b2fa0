/// What a caller may change about a check.
package struct CheckOptions: Sendable {
  /// Names of functions, besides those known anyway, that call a closure they are given exactly once.
  package var callsOnce: Set<String> = []

  /// Whether functions that do not parse are looked at as well.
  var readsDamagedCode = false

  package init() {}
}
