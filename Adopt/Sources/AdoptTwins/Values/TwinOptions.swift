import AdoptAnalysis

/// Options for writing twins.
package struct TwinOptions: Sendable {
  /// Whether all twins are named by the rules of the importer. Otherwise only those of `@objc` functions are.
  package var usesImportedNames = false
  /// Whether the original functions are marked with the name of their twin.
  package var marksOldFunctions = true
  /// Whether twins that belong to no actor run on the caller's actor. Requires Swift 6.2.
  package var inheritsIsolation = false
  /// The lowest access level of functions that get a twin.
  package var access = AccessLevel.all
  /// Whether twins are marked as available from the systems that have Swift concurrency, because the package also
  /// supports older ones.
  package var marksAvailability = false
  /// Async functions of other files, which may be twins of functions in this file.
  package var known = KnownFunctions()
  /// The type aliases of handlers that files of a module share.
  package var aliases = SharedAliases()

  package init() {}
}

/// The access levels to select functions by.
package enum AccessLevel: String, Sendable, CaseIterable {
  case `public`, package, all
}
