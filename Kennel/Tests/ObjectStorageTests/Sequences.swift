import Foundation

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// All elements.
  func collected() async throws -> [Element] {
    var all: [Element] = []
    for try await element in self { all.append(element) }
    return all
  }
}

/// A sequence of chunks.
struct Chunks: AsyncSequence, Sendable {
  var chunks: [Data]
  /// Called before each chunk.
  var before: @Sendable (Int) async throws -> Void = { _ in }

  struct AsyncIterator: AsyncIteratorProtocol {
    var index = 0
    let sequence: Chunks

    mutating func next() async throws -> Data? {
      guard index < sequence.chunks.count else { return nil }
      try await sequence.before(index)
      defer { index += 1 }
      return sequence.chunks[index]
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }
}
