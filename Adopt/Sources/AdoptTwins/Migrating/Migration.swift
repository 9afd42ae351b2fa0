import AdoptAnalysis

/// A change of one function that moves calls to async alternatives.
package struct Migration: Sendable {
  /// The name of the changed function.
  package let function: String
  package let place: Place
  /// The sorted edits.
  package let edits: [FixIt.Edit]
  /// The bytes of the function in the original file.
  package let range: Range<Int>
  /// The number of calls that are moved.
  package let count: Int
}

/// A call that stays as it is, and the reason.
package struct StayingCall: Sendable, Hashable {
  package let place: Place
  package let function: String
  package let reason: String

  package init(place: Place, function: String, reason: String) {
    self.place = place
    self.function = function
    self.reason = reason
  }
}

package struct MigrationFile: Sendable {
  package var migrations: [Migration] = []
  package var staying: [StayingCall] = []

  package init() {}

  /// The edits of all migrations, sorted.
  package var edits: [FixIt.Edit] {
    migrations.flatMap(\.edits).sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}

package struct MigrationOptions: Sendable {
  /// Whether calls at the end of functions that are not async are moved into a `Task`.
  package var wrapsInTask = false

  package init() {}
}

/// Returns how the calls in a file move to async alternatives, without changing anything.
package func migrations(in file: ParsedFile, index: TwinIndex, options: MigrationOptions = MigrationOptions())
  -> MigrationFile
{
  guard !file.tree.hasError else { return MigrationFile() }
  var migrator = Migrator(file: file, index: index, options: options)
  return migrator.run()
}
