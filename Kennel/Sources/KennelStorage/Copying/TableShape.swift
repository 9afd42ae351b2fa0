/// A table of a kennel, as the schema describes it.
package struct TableShape: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case integer, text, blob
  }

  package struct Column: Sendable, Hashable {
    package let name: String
    package let kind: Kind
  }

  package let name: String
  package let columns: [Column]
  /// The other tables that rows of this one refer to.
  private let references: Set<String>

  /// The names of the columns in quotation marks, for a statement.
  var columnList: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }
  /// The query for all rows.
  var query: String { "SELECT \(columnList) FROM \"\(name)\"" }

  /// Returns the tables of a kennel, each after those that its rows refer to.
  ///
  /// They are read from the schema, so a table that a later version adds is one of them. The tables of the search are not, because
  /// they are made from the others.
  package static func all() throws(KennelError) -> [TableShape] {
    let model = try Connection(path: ":memory:", access: .copying, busyTimeout: .zero)
    for migration in Migration.all { try model.script(migration.script) }
    let names = try model.rows(
      """
      SELECT name FROM pragma_table_list
      WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
        AND name NOT IN ('search_changes', 'search_old_entries')
      ORDER BY name
      """
    ) { $0.text(0) }
    var tables: [TableShape] = []
    for name in names { tables.append(try TableShape(name, model)) }
    return sorted(tables)
  }

  private init(_ name: String, _ model: Connection) throws(KennelError) {
    self.name = name
    columns = try model.rows("SELECT name, type FROM pragma_table_info(?)", .text(name)) { row in
      let kind: Kind =
        switch row.text(1) {
        case "INTEGER": .integer
        case "BLOB": .blob
        default: .text
        }
      return Column(name: row.text(0), kind: kind)
    }
    references = Set(
      try model.rows("SELECT \"table\" FROM pragma_foreign_key_list(?)", .text(name)) { $0.text(0) }
    ).subtracting([name])
  }

  private static func sorted(_ tables: [TableShape]) -> [TableShape] {
    var sorted: [TableShape] = []
    var done: Set<String> = []
    var waiting = tables
    while !waiting.isEmpty {
      let ready = waiting.filter { $0.references.isSubset(of: done) }
      // References in a circle have no order. There are none.
      let next = ready.isEmpty ? waiting : ready
      sorted += next
      done.formUnion(next.map(\.name))
      waiting.removeAll { done.contains($0.name) }
    }
    return sorted
  }
}
