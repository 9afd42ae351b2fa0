/// A set of numbers that are mostly consecutive, as sorted ranges that do not touch.
package struct IdentifierRanges: Sendable, Equatable {
  private(set) var ranges: [ClosedRange<Int64>] = []
  package private(set) var count = 0

  package init() {}

  /// Adds a number, and returns false if the set has it already.
  @discardableResult package mutating func insert(_ id: Int64) -> Bool {
    let next = firstIndex { $0.upperBound >= id }
    if next < ranges.count, ranges[next].contains(id) { return false }
    count += 1
    let joinsPrevious = next > 0 && ranges[next - 1].upperBound + 1 == id
    let joinsNext = next < ranges.count && ranges[next].lowerBound - 1 == id
    switch (joinsPrevious, joinsNext) {
    case (true, true):
      ranges[next - 1] = ranges[next - 1].lowerBound...ranges[next].upperBound
      ranges.remove(at: next)
    case (true, false): ranges[next - 1] = ranges[next - 1].lowerBound...id
    case (false, true): ranges[next] = id...ranges[next].upperBound
    case (false, false): ranges.insert(id...id, at: next)
    }
    return true
  }

  package mutating func formUnion(_ other: IdentifierRanges) {
    var joined: [ClosedRange<Int64>] = []
    for range in (ranges + other.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound == .min || range.lowerBound - 1 <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    ranges = joined
    count = joined.reduce(0) { $0 + $1.count }
  }

  /// Returns the number of elements that are greater than `start` and not greater than `end`.
  package func count(after start: Int64, through end: Int64) -> Int {
    guard start < end else { return 0 }
    return ranges.reduce(0) { sum, range in
      let (first, last) = (max(range.lowerBound, start + 1), min(range.upperBound, end))
      return first <= last ? sum + Int(last - first) + 1 : sum
    }
  }

  /// Returns the first index of a range that fulfils the condition, which holds for all ranges after it.
  private func firstIndex(_ holds: (ClosedRange<Int64>) -> Bool) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if holds(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
