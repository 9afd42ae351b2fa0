extension StrippedImage {
  /// A piece of the copy.
  public enum Piece: Sendable, Hashable {
    /// These bytes of the original.
    case original(Range<Int>)
    /// This number of bytes that are not copied from the original.
    case new(Int)
  }

  /// The pieces of the copy, in order.
  ///
  /// A program that keeps the other bytes of the original can put the original together again.
  public var pieces: [Piece] {
    plan.pieces.map { piece in
      switch piece {
      case .copied(let range): .original(range)
      case .made(let bytes): .new(bytes.count)
      case .zeros(let count): .new(count)
      }
    }
  }
}
