#if !canImport(Darwin)
import CPublicSuffix

/// The names under which anyone can register: `com`, `co.uk`, `github.io`. All calls to libpsl are in this file.
enum PublicSuffixList {
  // Unsafe for the compiler only: libpsl's built-in list is constant data, which every thread may read.
  private nonisolated(unsafe) static let list: OpaquePointer? = psl_builtin()

  /// Returns whether anyone can register a name below `domain`. This is always true for a name with one label.
  static func isPublicSuffix(_ domain: String) -> Bool {
    guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
    guard let list else { return false }
    return psl_is_public_suffix(list, domain) == 1
  }

  /// Returns the public suffix of `domain` and the label before it; `nil` if there is none.
  static func registrableDomain(of domain: String) -> String? {
    guard let list else { return nil }
    return domain.withCString { name in
      // The result is not a new string: it points into `name`.
      psl_registrable_domain(list, name).map { String(cString: $0) }
    }
  }
}
#endif
