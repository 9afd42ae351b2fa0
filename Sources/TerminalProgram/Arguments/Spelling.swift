/// Finds what somebody may have meant.
package enum Spelling {
  /// The nearest of the candidates, if it is near enough to be meant.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let ranked = candidates.map { (name: $0, distance: distance(word, $0)) }
    guard word.count > 1, let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(word.count, best.name.count) / 3) ? best.name : nil
  }

  /// How many letters have to be changed, added or left out.
  package static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let changed = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, diagonal + 1, row[j] + 1)
      }
    }
    return row[right.count]
  }
}
