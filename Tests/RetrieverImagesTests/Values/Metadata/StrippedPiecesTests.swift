import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct StrippedPiecesTests {
  @Test func `the pieces of a copy name its bytes in the original`() throws {
    for data in try FullFixture.all() + [try JPEGFixture.baseline()] {
      let stripped = try StrippedImage(data: data)
      let copy = try stripped.data()
      var position = 0
      for piece in stripped.pieces {
        switch piece {
        case .original(let range):
          #expect(copy[position..<(position + range.count)] == data[range])
          position += range.count
        case .new(let count): position += count
        }
      }
      #expect(position == copy.count && position == stripped.byteCount)
    }
  }
}
