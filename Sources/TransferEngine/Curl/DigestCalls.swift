// Every call into the hash functions of the TLS libraries: OpenSSL's libcrypto, or GnuTLS. The functions are looked up at
// run time, so no headers are needed, and a process that has neither library has no hashes.

/// The libraries that may compute hashes, the preferred one first.
package enum HashLibrary: CaseIterable, Sendable {
  /// OpenSSL, since 1.1.1. It has every algorithm; in FIPS mode it refuses MD5.
  case openSSL
  /// GnuTLS. It has no SHA-512/256.
  case gnuTLS

  func makeContext(_ algorithm: HashAlgorithm) -> (any HashContext)? {
    switch self {
    case .openSSL: OpenSSLHash(algorithm)
    case .gnuTLS: GnuTLSHash(algorithm)
    }
  }
}

/// A hash that is being computed.
protocol HashContext: AnyObject {
  /// Adds bytes. Returns false if the library failed.
  func update(_ bytes: UnsafeRawBufferPointer) -> Bool
  /// Returns the hash. Called at most once, after the last update.
  func finish() -> [UInt8]?
}

private final class OpenSSLHash: HashContext {
  private typealias Pointer = UnsafeMutableRawPointer

  private struct Functions: Sendable {
    let make: @convention(c) () -> Pointer?
    let free: @convention(c) (Pointer?) -> Void
    let start: @convention(c) (Pointer?, Pointer?, Pointer?) -> Int32
    let update: @convention(c) (Pointer?, UnsafeRawPointer?, Int) -> Int32
    let finish:
      @convention(c) (Pointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?) -> Int32
    let clearErrors: @convention(c) () -> Void
  }

  private static let functions: Functions? = {
    guard let make = OpenSSL.find("EVP_MD_CTX_new", as: (@convention(c) () -> Pointer?).self),
      let free = OpenSSL.find("EVP_MD_CTX_free", as: (@convention(c) (Pointer?) -> Void).self),
      let start = OpenSSL.find(
        "EVP_DigestInit_ex", as: (@convention(c) (Pointer?, Pointer?, Pointer?) -> Int32).self),
      let update = OpenSSL.find(
        "EVP_DigestUpdate", as: (@convention(c) (Pointer?, UnsafeRawPointer?, Int) -> Int32).self),
      let finish = OpenSSL.find(
        "EVP_DigestFinal_ex",
        as: (@convention(c) (
          Pointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?
        ) -> Int32).self),
      let clearErrors = OpenSSL.find("ERR_clear_error", as: (@convention(c) () -> Void).self)
    else { return nil }
    return Functions(
      make: make, free: free, start: start, update: update, finish: finish, clearErrors: clearErrors)
  }()

  private let functions: Functions
  private let context: Pointer
  private let length: Int

  init?(_ algorithm: HashAlgorithm) {
    let name =
      switch algorithm {
      case .md5: "EVP_md5"
      case .sha1: "EVP_sha1"
      case .sha256: "EVP_sha256"
      case .sha512_256: "EVP_sha512_256"
      }
    guard let functions = Self.functions,
      let description = OpenSSL.find(name, as: (@convention(c) () -> Pointer?).self)?(),
      let context = functions.make()
    else { return nil }
    // On failure, libcurl must not find the error in its thread's queue.
    guard functions.start(context, description, nil) == 1 else {
      functions.free(context)
      functions.clearErrors()
      return nil
    }
    self.functions = functions
    self.context = context
    length = algorithm.length
  }

  deinit { functions.free(context) }

  func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
    functions.update(context, bytes.baseAddress, bytes.count) == 1
  }

  func finish() -> [UInt8]? {
    // EVP_MAX_MD_SIZE
    var result = [UInt8](repeating: 0, count: 64)
    var count: UInt32 = 0
    guard functions.finish(context, &result, &count) == 1, count == length else { return nil }
    return Array(result.prefix(length))
  }
}

private final class GnuTLSHash: HashContext {
  private typealias Pointer = UnsafeMutableRawPointer

  private struct Functions: Sendable {
    let make: @convention(c) (UnsafeMutablePointer<Pointer?>?, Int32) -> Int32
    let update: @convention(c) (Pointer?, UnsafeRawPointer?, Int) -> Int32
    let free: @convention(c) (Pointer?, UnsafeMutableRawPointer?) -> Void
  }

  private static let functions: Functions? = {
    guard
      let make = OpenSSL.find(
        "gnutls_hash_init", as: (@convention(c) (UnsafeMutablePointer<Pointer?>?, Int32) -> Int32).self),
      let update = OpenSSL.find(
        "gnutls_hash", as: (@convention(c) (Pointer?, UnsafeRawPointer?, Int) -> Int32).self),
      let free = OpenSSL.find(
        "gnutls_hash_deinit", as: (@convention(c) (Pointer?, UnsafeMutableRawPointer?) -> Void).self)
    else { return nil }
    return Functions(make: make, update: update, free: free)
  }()

  private let functions: Functions
  /// Nil after the hash was read, which frees the context.
  private var context: Pointer?
  private let length: Int

  init?(_ algorithm: HashAlgorithm) {
    // gnutls_digest_algorithm_t
    let number: Int32
    switch algorithm {
    case .md5: number = 2
    case .sha1: number = 3
    case .sha256: number = 6
    case .sha512_256: return nil
    }
    var context: Pointer?
    guard let functions = Self.functions, functions.make(&context, number) == 0, let context else {
      return nil
    }
    self.functions = functions
    self.context = context
    length = algorithm.length
  }

  deinit { if let context { functions.free(context, nil) } }

  func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    return functions.update(context, start, bytes.count) == 0
  }

  func finish() -> [UInt8]? {
    guard let context else { return nil }
    self.context = nil
    var result = [UInt8](repeating: 0, count: length)
    functions.free(context, &result)
    return result
  }
}
