/// The bytes of metadata that may still be read from a file.
///
/// A small file can contain or refer to any number of records that are large when they are inflated, or that share the same
/// bytes. Readers ask the budget before they read a record, and ignore one that is larger than the rest of the budget.
struct RecordBudget {
  /// The maximum for all records of a file.
  static let maximumBytes = 16 << 20

  /// The number of bytes that remain.
  private(set) var left: Int

  init(_ bytes: Int = Self.maximumBytes) { left = bytes }

  /// Takes the bytes of a record. Returns false, and takes nothing, if the record must not be read.
  mutating func take(_ count: Int) -> Bool {
    guard count <= left else { return false }
    left -= count
    return true
  }
}
