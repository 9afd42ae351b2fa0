/// Smooth noise between -1 and 1 with features of one unit in size. The same seed always gives the same noise.
struct ValueNoise: Sendable {
  private let lattice: [Float]

  init(seed: UInt64) {
    lattice = (0..<65_536).map {
      Float(scrambled(UInt64($0) &+ seed &* 0x9e37_79b9_7f4a_7c15) >> 40) / 8_388_608 - 1
    }
  }

  subscript(x: Float, y: Float) -> Float {
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let (column, row) = (Int(left), Int(top))
    let (across, down) = (smoothStep(x - left), smoothStep(y - top))
    let above = self[column, row] * (1 - across) + self[column + 1, row] * across
    let below = self[column, row + 1] * (1 - across) + self[column + 1, row + 1] * across
    return above * (1 - down) + below * down
  }

  private subscript(column: Int, row: Int) -> Float {
    lattice[(row &* 7_919 &+ column &* 271 ^ row >> 8) & 0xffff]
  }
}

/// A pseudorandom number generator. The same seed always gives the same numbers.
struct SeededGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Returns a number from 0 up to, but not including, 1.
  mutating func unit() -> Float {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Float(scrambled(state) >> 40) / 16_777_216
  }
}

/// The mixing step of SplitMix64.
func scrambled(_ value: UInt64) -> UInt64 {
  var mixed = value
  mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
  mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
  return mixed ^ mixed >> 31
}

func smoothStep(_ value: Float) -> Float {
  let clamped = min(1, max(0, value))
  return clamped * clamped * (3 - 2 * clamped)
}
