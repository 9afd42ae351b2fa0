/// The modules of a QR code while it is drawn.
struct QRGrid: Sendable {
  let size: Int
  private(set) var modules: [Bool]
  /// The modules that belong to a pattern, the format or the version, and not to the data.
  private(set) var isReserved: [Bool]

  /// Creates a grid of light modules.
  init(blank size: Int) {
    self.size = size
    modules = [Bool](repeating: false, count: size * size)
    isReserved = modules
  }

  /// Draws everything that does not depend on the data and the mask.
  init(version: QRVersion) {
    self.init(blank: version.size)
    for index in 0..<size {
      reserve(6, index, index % 2 == 0)
      reserve(index, 6, index % 2 == 0)
    }
    for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(column, row) }
    drawAlignment(version.alignment)
    drawFormat(mask: .rows)
    if version.number >= 7 { drawVersion(version.number) }
  }

  subscript(column: Int, row: Int) -> Bool { modules[row * size + column] }

  private mutating func reserve(_ column: Int, _ row: Int, _ isDark: Bool) {
    modules[row * size + column] = isDark
    isReserved[row * size + column] = true
  }

  /// Draws a finder pattern with its light border around a centre.
  private mutating func drawFinder(_ column: Int, _ row: Int) {
    for y in -4...4 {
      for x in -4...4 where 0..<size ~= column + x && 0..<size ~= row + y {
        let distance = max(abs(x), abs(y))
        reserve(column + x, row + y, distance != 2 && distance != 4)
      }
    }
  }

  private mutating func drawAlignment(_ centres: [Int]) {
    guard let first = centres.first, let last = centres.last else { return }
    for row in centres {
      for column in centres {
        // There are finder patterns in three corners.
        if (row == first && (column == first || column == last)) || (row == last && column == first) {
          continue
        }
        for y in -2...2 {
          for x in -2...2 { reserve(column + x, row + y, max(abs(x), abs(y)) != 1) }
        }
      }
    }
  }

  /// Draws both copies of the error correction level and the mask.
  mutating func drawFormat(mask: QRMask) {
    let bits = Self.formatBits(mask: mask)
    func isDark(_ bit: Int) -> Bool { bits >> bit & 1 == 1 }
    for bit in 0..<6 { reserve(8, bit, isDark(bit)) }
    reserve(8, 7, isDark(6))
    reserve(8, 8, isDark(7))
    reserve(7, 8, isDark(8))
    for bit in 9..<15 { reserve(14 - bit, 8, isDark(bit)) }
    for bit in 0..<8 { reserve(size - 1 - bit, 8, isDark(bit)) }
    for bit in 8..<15 { reserve(8, size - 15 + bit, isDark(bit)) }
    reserve(8, size - 8, true)
  }

  private mutating func drawVersion(_ number: Int) {
    let bits = Self.versionBits(number)
    for bit in 0..<18 {
      let isDark = bits >> bit & 1 == 1
      let (near, far) = (bit / 3, size - 11 + bit % 3)
      reserve(far, near, isDark)
      reserve(near, far, isDark)
    }
  }

  /// Returns the 15 bits of the format: level M and a mask with their check bits.
  static func formatBits(mask: QRMask) -> Int {
    // The bits of level M are 00.
    let data = mask.rawValue
    return (data << 10 | remainder(of: data, shift: 10, by: 0x537)) ^ 0x5412
  }

  /// Returns the 18 bits of the version with their check bits.
  static func versionBits(_ number: Int) -> Int {
    number << 12 | remainder(of: number, shift: 12, by: 0x1F25)
  }

  /// Returns the remainder of a polynomial over two elements, multiplied by a power of x, after a division.
  private static func remainder(of number: Int, shift: Int, by divisor: Int) -> Int {
    var rest = number << shift
    for bit in stride(from: rest.bitWidth - 1, through: shift, by: -1) where rest >> bit & 1 == 1 {
      rest ^= divisor << (bit - shift)
    }
    return rest
  }

  /// Draws codewords and applies a mask to them.
  mutating func place(_ codewords: [UInt8], mask: QRMask) {
    var bit = 0
    for (column, row) in Self.path(size: size) where !isReserved[row * size + column] {
      // The modules after the last codeword are light, before the mask is applied.
      let isDark = bit < codewords.count * 8 && codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
      modules[row * size + column] = isDark != mask.inverts(column, row)
      bit += 1
    }
  }

  /// Returns all modules in the order of the data: in pairs of columns from the right, up and down in turn.
  static func path(size: Int) -> [(column: Int, row: Int)] {
    var path: [(column: Int, row: Int)] = []
    var isUpward = true
    var right = size - 1
    while right > 0 {
      // The column of the timing pattern is skipped.
      if right == 6 { right = 5 }
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        path.append((right, row))
        path.append((right - 1, row))
      }
      isUpward.toggle()
      right -= 2
    }
    return path
  }
}

/// The masks, which invert modules so that the code has few confusing patterns. The raw value is their number.
enum QRMask: Int, Sendable, CaseIterable {
  case checkerboard, rows, columns, diagonals, blocks, fields, diamonds, meadow

  func inverts(_ column: Int, _ row: Int) -> Bool {
    let product = column * row
    return switch self {
    case .checkerboard: (column + row) % 2 == 0
    case .rows: row % 2 == 0
    case .columns: column % 3 == 0
    case .diagonals: (column + row) % 3 == 0
    case .blocks: (column / 3 + row / 2) % 2 == 0
    case .fields: product % 2 + product % 3 == 0
    case .diamonds: (product % 2 + product % 3) % 2 == 0
    case .meadow: ((column + row) % 2 + product % 3) % 2 == 0
    }
  }
}
