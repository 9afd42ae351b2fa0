/// Ranges of positions in ascending order, of which none overlaps another.
struct DisjointRanges {
  private(set) var ranges: [Range<Int>] = []

  init() {}

  /// Joins ranges that overlap.
  init(_ all: [Range<Int>]) {
    for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last, range.lowerBound <= last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
  }

  /// Returns whether one of the ranges contains all of a range.
  func contains(_ range: Range<Int>) -> Bool {
    first(after: range.lowerBound).map {
      $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound
    } ?? false
  }

  func overlaps(_ range: Range<Int>) -> Bool {
    first(after: range.lowerBound).map { $0.lowerBound < range.upperBound } ?? false
  }

  /// Returns the ranges that begin in a range or before it, and end after its beginning.
  func touching(_ range: Range<Int>) -> ArraySlice<Range<Int>> {
    ranges[index(after: range.lowerBound)...].prefix { $0.lowerBound < range.upperBound }
  }

  /// Returns the parts of a range that are in none of these.
  func gaps(in range: Range<Int>) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var start = range.lowerBound
    for part in touching(range) {
      if part.lowerBound > start { gaps.append(start..<part.lowerBound) }
      start = part.upperBound
    }
    if start < range.upperBound { gaps.append(start..<range.upperBound) }
    return gaps
  }

  private func first(after position: Int) -> Range<Int>? {
    let index = index(after: position)
    return index < ranges.count ? ranges[index] : nil
  }

  /// Returns the index of the first range that ends after a position.
  private func index(after position: Int) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound > position { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
