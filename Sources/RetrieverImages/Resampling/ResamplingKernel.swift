import Foundation

/// A resampling filter: the weight of a source pixel by its distance from the center of a new pixel.
enum ResamplingKernel: Sendable, CaseIterable {
  case lanczos3
  case magicSharp2021
  case catmullRom
  case mitchell

  /// The radius of the filter, in new pixels when reducing, in source pixels when enlarging.
  var support: Double {
    switch self {
    case .lanczos3: 3
    case .magicSharp2021: 4.5
    case .catmullRom, .mitchell: 2
    }
  }

  /// Fills a buffer with the values at `first`, `first + step` and so on, not normalized.
  func fill(_ values: inout [Double], count: Int, first: Double, step: Double) {
    values.removeAll(keepingCapacity: true)
    switch self {
    case .lanczos3: fillLanczos(&values, count: count, first: first, step: step)
    case .magicSharp2021: for i in 0..<count { values.append(Self.magic(abs(first + Double(i) * step))) }
    case .catmullRom:
      for i in 0..<count { values.append(Self.cubic(abs(first + Double(i) * step), b: 0, c: 0.5)) }
    case .mitchell:
      for i in 0..<count { values.append(Self.cubic(abs(first + Double(i) * step), b: 1 / 3, c: 1 / 3)) }
    }
  }

  /// Fills a buffer with Lanczos values.
  ///
  /// The angle sum formula replaces a call of `sin` for each value, and the triple angle formula a second one. Without
  /// that, this function takes an eighth of the time of a small thumbnail.
  private func fillLanczos(_ values: inout [Double], count: Int, first: Double, step: Double) {
    let third = Double.pi / 3
    var (sine, cosine) = (sin(first * third), cos(first * third))
    let (stepSine, stepCosine) = (sin(step * third), cos(step * third))
    for i in 0..<count {
      let x = first + Double(i) * step
      if abs(x) < 1e-6 {
        values.append(1)
      } else if abs(x) >= 3 {
        values.append(0)
      } else {
        // sin(πx) · sin(πx/3) · 3 / (πx)², with sin(πx) = 3 sin(πx/3) − 4 sin³(πx/3)
        let square = sine * sine
        values.append(square * (3 - 4 * square) / (3 * third * third * x * x))
      }
      (sine, cosine) = (sine * stepCosine + cosine * stepSine, cosine * stepCosine - sine * stepSine)
    }
  }

  /// Returns a value of Costella's "magic kernel sharp" of 2021.
  private static func magic(_ x: Double) -> Double {
    if x <= 0.5 { return 577 / 576 - 239 / 144 * x * x }
    if x <= 1.5 { return 35 / 36 * (x - 1) * (x - 239 / 140) }
    if x <= 2.5 { return (x - 2) * (65 / 24 - x) / 6 }
    if x <= 3.5 { return (x - 3) * (x - 3.75) / 36 }
    if x < 4.5 { return -(x - 4.5) * (x - 4.5) / 288 }
    return 0
  }

  private static func cubic(_ x: Double, b: Double, c: Double) -> Double {
    if x < 1 { return (((12 - 9 * b - 6 * c) * x + (-18 + 12 * b + 6 * c)) * x * x + (6 - 2 * b)) / 6 }
    if x < 2 {
      return (((-b - 6 * c) * x + (6 * b + 30 * c)) * x * x + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6
    }
    return 0
  }
}
