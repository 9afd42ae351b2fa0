/// A QR code (ISO/IEC 18004) of some bytes: a square of dark and light modules. A pure value.
///
/// The text is encoded in byte mode with error correction level M, which recovers 15 % of the modules. The smallest of
/// the versions 1 to 10 that has room is used, and the mask with the lowest penalty.
package struct QRCode: Sendable, Hashable {
  /// The number of modules on each side.
  package let size: Int
  /// The number of light modules that must surround the code.
  package static let quietZone = 4
  /// The maximum number of bytes.
  package static let maximumByteCount = QRVersion.all.last?.byteCapacity ?? 0

  private let modules: [Bool]

  /// Creates the code of a text in UTF-8. Returns nil if the text has more than ``maximumByteCount`` bytes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let version = QRVersion.all.first(where: { $0.byteCapacity >= bytes.count }) else { return nil }
    let codewords = version.interleaved(version.dataCodewords(of: bytes))
    let blank = QRGrid(version: version)
    var best: (grid: QRGrid, penalty: Int)?
    for mask in QRMask.allCases {
      var grid = blank
      grid.place(codewords, mask: mask)
      grid.drawFormat(mask: mask)
      let penalty = grid.penalty
      if penalty < best?.penalty ?? .max { best = (grid, penalty) }
    }
    guard let grid = best?.grid else { return nil }
    size = grid.size
    modules = grid.modules
  }

  /// Returns whether a module is dark. All modules outside of the code are light.
  ///
  /// - Parameters:
  ///   - column: the column, beginning with 0 at the left.
  ///   - row: the row, beginning with 0 at the top.
  package func isDark(_ column: Int, _ row: Int) -> Bool {
    guard 0..<size ~= column, 0..<size ~= row else { return false }
    return modules[row * size + column]
  }

  /// The code and its quiet zone as lines of text, two rows of modules in each. Half blocks stand for dark modules, so
  /// the text must be dark on a light background.
  package var lines: [String] {
    let edge = Self.quietZone
    return stride(from: -edge, to: size + edge, by: 2).map { row in
      (-edge..<size + edge).map { column in
        switch (isDark(column, row), isDark(column, row + 1)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
    }
  }

  /// The dark modules as the data of an SVG path: a rectangle for each horizontal run, without the quiet zone.
  package var pathData: String {
    var path = ""
    for row in 0..<size {
      var column = 0
      while column < size {
        let start = column
        while isDark(column, row) { column += 1 }
        if column > start {
          path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z"
        } else {
          column += 1
        }
      }
    }
    return path
  }
}
