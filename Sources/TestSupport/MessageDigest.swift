import Foundation
import Glibc

/// Hashes by OpenSSL, for servers that check what a client has computed.
public enum MessageDigest {
  private typealias Pointer = UnsafeMutableRawPointer
  private typealias Compute =
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?, Pointer?, Pointer?
    ) -> Int32

  /// Returns a hash as hexadecimal digits.
  ///
  /// - Parameter function: OpenSSL's function for the algorithm, such as `EVP_sha256`.
  public static func hexadecimal(_ function: String, _ text: String) throws -> String {
    let library = dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so.1.1", RTLD_NOW)
    defer { if let library { dlclose(library) } }
    guard let library, let algorithm = dlsym(library, function), let compute = dlsym(library, "EVP_Digest")
    else { throw TestSupportError("OpenSSL's library is missing.") }
    var result = [UInt8](repeating: 0, count: 64)
    var count: UInt32 = 0
    let bytes = Array(text.utf8)
    let code = unsafeBitCast(compute, to: Compute.self)(
      bytes, bytes.count, &result, &count,
      unsafeBitCast(algorithm, to: (@convention(c) () -> Pointer?).self)(), nil)
    guard code == 1 else { throw TestSupportError("\(function) failed.") }
    return result.prefix(Int(count)).map { String(format: "%02x", $0) }.joined()
  }
}
