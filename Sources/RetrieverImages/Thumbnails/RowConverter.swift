import Foundation

/// Brings the rows of a picture into a form that can be scaled.
final class RowConverter {
  /// What the rows look like afterwards.
  let converted: RowLayout
  /// How their samples become light.
  let linearization = Linearization.sRGB

  init(_ rows: RowLayout, profile: Data?) {
    converted = rows
  }

  func convert(_ row: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { row }
}
