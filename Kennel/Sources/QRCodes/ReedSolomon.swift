/// Computes the error correction codewords of QR codes.
struct ReedSolomon: Sendable {
  /// The coefficients of the generator polynomial, without the first one, which is 1. Its roots are the powers 0, 1, 2 …
  /// of the field's generator.
  private let generator: [UInt8]

  init(correctionCount: Int) {
    var generator = [UInt8](repeating: 0, count: correctionCount - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<correctionCount {
      for index in generator.indices {
        generator[index] = GaloisField.product(generator[index], root)
        if index + 1 < generator.count { generator[index] ^= generator[index + 1] }
      }
      root = GaloisField.product(root, 2)
    }
    self.generator = generator
  }

  /// Returns the remainder of the data, as a polynomial, after the division by the generator polynomial.
  func correction(of data: ArraySlice<UInt8>) -> [UInt8] {
    var remainder = [UInt8](repeating: 0, count: generator.count)
    for byte in data {
      let factor = byte ^ remainder.removeFirst()
      remainder.append(0)
      for index in remainder.indices { remainder[index] ^= GaloisField.product(generator[index], factor) }
    }
    return remainder
  }
}

/// The field with 256 elements, modulo x⁸ + x⁴ + x³ + x² + 1.
enum GaloisField {
  static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var product: UInt8 = 0
    for bit in stride(from: 7, through: 0, by: -1) {
      let overflow = product >> 7
      product = product << 1 ^ overflow &* 0x1D
      if right >> UInt8(bit) & 1 == 1 { product ^= left }
    }
    return product
  }
}
