/// Where names in source files are declared, as the compiler recorded it while it built them.
package struct ResolvedNames: Sendable {
  /// The place of a name.
  package struct Point: Sendable, Hashable {
    /// The absolute path, with all links resolved.
    package let path: String
    /// The line, counted from 1.
    package let line: Int
    /// The column, counted from 1 in UTF-8 bytes.
    package let column: Int

    package init(path: String, line: Int, column: Int) {
      self.path = path
      self.line = line
      self.column = column
    }
  }

  /// An occurrence of a name.
  package struct Occurrence: Sendable, Hashable {
    package let point: Point
    /// The identifier of the declaration, which is the same in all files.
    package let symbol: String
    package let isDeclaration: Bool

    package init(point: Point, symbol: String, isDeclaration: Bool) {
      self.point = point
      self.symbol = symbol
      self.isDeclaration = isDeclaration
    }
  }

  private var uses: [Point: Set<String>] = [:]
  private var declarations: [String: Set<Point>] = [:]

  package init(_ occurrences: [Occurrence] = []) {
    for occurrence in occurrences { add(occurrence) }
  }

  package mutating func add(_ occurrence: Occurrence) {
    if occurrence.isDeclaration {
      declarations[occurrence.symbol, default: []].insert(occurrence.point)
    } else {
      uses[occurrence.point, default: []].insert(occurrence.symbol)
    }
  }

  /// Returns where the name at a place is declared, or nil if the compiler did not record the name.
  ///
  /// The result is empty for names that other modules declare. It has several elements if the name refers to several
  /// declarations, such as a type and its initializer.
  package func declarations(ofNameAt point: Point) -> Set<Point>? {
    guard let symbols = uses[point] else { return nil }
    return symbols.reduce(into: []) { $0.formUnion(declarations[$1] ?? []) }
  }
}
