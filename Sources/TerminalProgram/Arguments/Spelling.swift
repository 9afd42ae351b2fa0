/// Suggests corrections for misspelled words.
public enum Spelling {
  /// Returns the candidate nearest to the word, if one is near enough.
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    let ranked = candidates.map { (name: $0, distance: distance(word, $0)) }
    guard word.count > 1, let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(word.count, best.name.count) / 3) ? best.name : nil
  }

  /// Returns the number of letters to change, add, remove or swap with a neighbour to get from one word to the other.
  public static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var last: [Int] = []
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var next = [i + 1]
      for (j, other) in right.enumerated() {
        var least = min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { least = min(least, last[j - 1] + 1) }
        next.append(least)
      }
      (last, row) = (row, next)
    }
    return row[right.count]
  }
}
