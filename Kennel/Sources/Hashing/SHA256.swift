// All calls into libsodium of this module are in this file.

import CSodium

/// A SHA-256 hash that is computed piece by piece.
package struct SHA256: ~Copyable {
  private var state = crypto_hash_sha256_state()

  package init() { crypto_hash_sha256_init(&state) }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let isDone = bytes.withContiguousStorageIfAvailable { buffer in
      if let base = buffer.baseAddress { crypto_hash_sha256_update(&state, base, UInt64(buffer.count)) }
      return true
    }
    if isDone == nil { update(Array(bytes)) }
  }

  package consuming func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(crypto_hash_sha256_BYTES)) { buffer, initialized in
      if let base = buffer.baseAddress { crypto_hash_sha256_final(&state, base) }
      initialized = Int(crypto_hash_sha256_BYTES)
    }
  }

  /// Returns the hash of some bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// Returns the HMAC (RFC 2104) of a message under a secret key of any length.
  package static func authentication(of message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    crypto_auth_hmacsha256_init(&state, key, key.count)
    let bytes = Array(message)
    crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(crypto_auth_hmacsha256_BYTES)) { buffer, initialized in
      if let base = buffer.baseAddress { crypto_auth_hmacsha256_final(&state, base) }
      initialized = Int(crypto_auth_hmacsha256_BYTES)
    }
  }
}

/// A SHA-256 hash that several places can hold. It is finished once.
package final class RunningHash {
  private var state: SHA256? = SHA256()

  package init() {}

  package func update(_ bytes: some Sequence<UInt8>) {
    guard var hash = state.take() else { return }
    hash.update(bytes)
    state = consume hash
  }

  package func finish() -> [UInt8] { state.take()?.finish() ?? [] }
}

/// Returns bytes as lowercase hexadecimal digits.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}
