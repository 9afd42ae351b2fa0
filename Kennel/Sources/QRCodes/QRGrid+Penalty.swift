extension QRGrid {
  /// How hard the code is to read (ISO/IEC 18004, section 7.8.3): long runs, blocks of one colour, patterns like those in
  /// the corners, and an unequal number of dark and light modules.
  var penalty: Int {
    var penalty = 0
    for line in 0..<size {
      penalty += Self.penalty(ofLine: (0..<size).map { self[$0, line] })
      penalty += Self.penalty(ofLine: (0..<size).map { self[line, $0] })
    }
    for row in 0..<size - 1 {
      for column in 0..<size - 1 {
        let module = self[column, row]
        if module == self[column + 1, row], module == self[column, row + 1],
          module == self[column + 1, row + 1]
        {
          penalty += 3
        }
      }
    }
    let darkCount = modules.count { $0 }
    // 10 points for each 5 % that the share of dark modules differs from one half.
    return penalty + abs(darkCount * 20 - modules.count * 10) / modules.count * 10
  }

  private static let finderPatterns = [
    [true, false, true, true, true, false, true, false, false, false, false],
    [false, false, false, false, true, false, true, true, true, false, true],
  ]

  private static func penalty(ofLine line: [Bool]) -> Int {
    var penalty = 0
    var start = 0
    for end in 1...line.count where end == line.count || line[end] != line[start] {
      if end - start >= 5 { penalty += end - start - 2 }
      start = end
    }
    for pattern in finderPatterns {
      for start in 0...(line.count - pattern.count)
      where line[start..<start + pattern.count].elementsEqual(pattern) {
        penalty += 40
      }
    }
    return penalty
  }
}
