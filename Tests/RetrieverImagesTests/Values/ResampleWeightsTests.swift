import Foundation
import Testing

@testable import RetrieverImages

@Suite struct ResampleWeightsTests {
  @Test(arguments: ResamplingKernel.allCases)
  func `weights of every size stay within the source, are in order and sum to one`(kernel: ResamplingKernel) {
    for source in [1, 2, 3, 15, 16, 45, 97, 320, 1_000] {
      for target in [1, 2, 3, 7, 15, 54, 55, 96, 240, 1_001] {
        let weights = ResamplingWeights(
          kernel: kernel, source: SourceArea.Span(count: source), target: target)
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

  /// Compares with weights that are computed one by one.
  private func expectComputed(_ source: SourceArea.Span, _ target: Int) {
    let weights = ResamplingWeights(kernel: .lanczos3, source: source, target: target)
    let scale = source.length / Double(target)
    let isRight = (0..<target).allSatisfy { index in
      let center = source.offset + (Double(index) + 0.5) * scale
      let raw = (0..<source.count).map {
        ResampleReference.lanczos3((Double($0) + 0.5 - center) / max(scale, 1))
      }
      let sum = raw.reduce(0, +)
      return (0..<source.count).allSatisfy {
        abs(Double(weights.weight(of: $0, in: index)) - raw[$0] / sum) < 1e-6
      }
    }
    #expect(isRight, "\(source) to \(target)")
  }

  @Test func `repeated weights equal computed ones`() {
    for (source, target) in [(1_000, 320), (640, 320), (48, 64), (15, 55), (100, 30)] {
      expectComputed(SourceArea.Span(count: source), target)
    }
  }

  @Test func `weights of a part with edges inside pixels equal computed ones`() {
    for (start, length, total, target) in [
      (0, 681.25, 682, 320), (0, 681.25, 682, 240), (0, 680.5, 681, 340), (0, 12.125, 13, 64),
      (10.75, 99.5, 200, 40), (0.3, 500.1, 501, 77), (99.9, 0.1, 100, 3), (5, 40, 100, 40),
    ] {
      expectComputed(SourceArea.Span(start, length: length, within: total), target)
    }
  }

  @Test func `a part has the pixels that are completely or partly inside`() {
    for (start, length, total, first, count) in [
      (0, 10, 10, 0, 10), (0, 9.25, 10, 0, 10), (2.5, 3, 10, 2, 4), (2, 3, 10, 2, 3), (9.5, 5, 10, 9, 1),
      (-1, 3, 10, 0, 2), (20, 1, 10, 9, 1), (3 - 1e-9, 2, 10, 3, 2), (3, 2 + 1e-9, 10, 3, 2),
    ] {
      let span = SourceArea.Span(start, length: length, within: total)
      #expect(span.first == first && span.count == count, "\(start), \(length)")
    }
    #expect(SourceArea.Span(3, length: 4, within: 10).isExact)
    #expect(!SourceArea.Span(3.5, length: 4, within: 10).isExact)
  }
}
