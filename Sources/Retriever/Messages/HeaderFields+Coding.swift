#if !canImport(Darwin)
import Foundation

extension HeaderFields {
  /// Encodes the lines in their order, as alternating names and values.
  func encode(with coder: NSCoder, forKey key: String) {
    let lines = entries.flatMap { [$0.name as NSString, $0.value as NSString] }
    coder.encode(NSArray(array: lines), forKey: key)
  }

  /// Decodes the lines. Returns nil if they are missing or damaged.
  init?(decodedFrom coder: NSCoder, forKey key: String) {
    guard let array = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: key) as? NSArray,
      case let lines = array.compactMap({ $0 as? String }), lines.count == array.count,
      lines.count.isMultiple(of: 2)
    else { return nil }
    self.init(stride(from: 0, to: lines.count, by: 2).map { (name: lines[$0], value: lines[$0 + 1]) })
  }
}

extension NSCoder {
  /// Decodes a string; nil if there is none, or another object.
  func decodeText(forKey key: String) -> String? {
    decodeObject(of: NSString.self, forKey: key) as String?
  }
}
#endif
