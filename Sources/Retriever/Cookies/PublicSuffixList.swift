#if !canImport(Darwin)
  import CPublicSuffix

  /// Under which names anybody can register: `com`, `co.uk`, `github.io`. All calls into libpsl are here.
  enum PublicSuffixList {
    // Unsafe only for the compiler: libpsl's built-in list is constant data, which every thread may read.
    private nonisolated(unsafe) static let list: OpaquePointer? = psl_builtin()

    /// Whether anybody can register a name below `domain`. A name of one label always counts as such.
    static func isPublicSuffix(_ domain: String) -> Bool {
      guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
      guard let list else { return false }
      return psl_is_public_suffix(list, domain) == 1
    }

    /// The public suffix of `domain` and one label before it; `nil` when there is none.
    static func registrableDomain(of domain: String) -> String? {
      guard let list else { return nil }
      return domain.withCString { name in
        // Not a new string: it points into `name`.
        psl_registrable_domain(list, name).map { String(cString: $0) }
      }
    }
  }
#endif
