import Foundation
import Testing

@testable import RetrieverImages

@Suite struct ResampleWeightsTests {
  @Test(arguments: ResamplingKernel.allCases)
  func `weights of every size stay within the source, are in order and sum to one`(kernel: ResamplingKernel) {
    for source in [1, 2, 3, 15, 16, 45, 97, 320, 1_000] {
      for target in [1, 2, 3, 7, 15, 54, 55, 96, 240, 1_001] {
        let weights = ResamplingWeights(kernel: kernel, source: source, target: target)
        let starts = weights.starts.map { Int($0) }
        let ends = weights.ends.map { Int($0) }
        let isWithin = starts.first ?? -1 >= 0 && ends.last == source
        let isInOrder = zip(starts, starts.dropFirst()).allSatisfy { $0 <= $1 }
        let endsAreInOrder = zip(ends, ends.dropFirst()).allSatisfy { $0 <= $1 }
        let fits = zip(starts, ends).allSatisfy { $0 < $1 && $1 - $0 <= weights.maximumTaps }
        #expect(isWithin && isInOrder && endsAreInOrder && fits, "\(source) to \(target)")
        let sumsAreOne = (0..<target).allSatisfy { index in
          abs(weights.weights(of: index).reduce(0, +) - 1) < 1e-5
        }
        #expect(sumsAreOne, "\(source) to \(target)")
      }
    }
  }

  @Test func `repeated weights equal computed ones`() {
    for (source, target) in [(1_000, 320), (640, 320), (48, 64), (15, 55), (100, 30)] {
      let weights = ResamplingWeights(kernel: .lanczos3, source: source, target: target)
      let scale = Double(source) / Double(target)
      let isRight = (0..<target).allSatisfy { index in
        let center = (Double(index) + 0.5) * scale
        let raw = (0..<source).map {
          ResampleReference.lanczos3((Double($0) + 0.5 - center) / max(scale, 1))
        }
        let sum = raw.reduce(0, +)
        return (0..<source).allSatisfy {
          abs(Double(weights.weight(of: $0, in: index)) - raw[$0] / sum) < 1e-6
        }
      }
      #expect(isRight, "\(source) to \(target)")
    }
  }
}
