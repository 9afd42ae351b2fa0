// All calls into libsodium of this module are in this file. SHA-256 is in Hashing.

import CSodium
import Hashing

package enum Sodium {
  /// "sodium_init() initializes the library and should be called before any other function". Calling it again is
  /// harmless.
  private static let isReady = sodium_init() >= 0

  package static func begin() throws(KennelError) {
    guard isReady else {
      throw KennelError(.failed, "Could not initialize libsodium: the system provides no random numbers.")
    }
  }

  /// Returns unpredictable random bytes.
  package static func randomBytes(_ count: Int) -> [UInt8] {
    _ = isReady
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let base = buffer.baseAddress { randombytes_buf(base, count) }
      initialized = count
    }
  }

  package typealias SHA256 = Hashing.SHA256

  package static func sha256(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }

  /// Returns the 32-byte BLAKE2b hash of some bytes under a secret key.
  package static func keyedHash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
      guard let base = buffer.baseAddress else { return }
      // It fails only for unsupported lengths, and these are constants.
      crypto_generichash(base, 32, bytes, UInt64(bytes.count), key, key.count)
      initialized = 32
    }
  }

  /// Compares two hashes in constant time.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }

  /// Returns URL-safe base64 without padding, or standard base64 without padding.
  package static func base64(_ bytes: [UInt8], forURL: Bool = true) -> String {
    let variant =
      forURL ? sodium_base64_VARIANT_URLSAFE_NO_PADDING : sodium_base64_VARIANT_ORIGINAL_NO_PADDING
    var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
    return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Decodes URL-safe base64. Returns nil if it does not encode exactly `count` bytes.
  package static func bytes(_ count: Int, ofBase64 text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var decoded = 0
    let characters = text.utf8.map { CChar(bitPattern: $0) }
    let code = sodium_base642bin(
      &bytes, count, characters, characters.count, nil, &decoded, nil,
      sodium_base64_VARIANT_URLSAFE_NO_PADDING)
    return code == 0 && decoded == count ? bytes : nil
  }

  /// Returns the Argon2id hash of a password with a new salt, as text that includes the parameters. Returns nil if
  /// there is not enough memory.
  package static func passwordHash(_ password: [UInt8], _ cost: PasswordCost) -> String? {
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let code = password.withUnsafeBytes { buffer in
      crypto_pwhash_str_alg(
        &text, buffer.bindMemory(to: CChar.self).baseAddress ?? emptyText, UInt64(buffer.count),
        UInt64(cost.passes), cost.memory, crypto_pwhash_ALG_ARGON2ID13)
    }
    guard code == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns whether a password matches a hash. The comparison takes constant time.
  package static func verifies(_ password: [UInt8], hash: String) -> Bool {
    password.withUnsafeBytes { buffer in
      crypto_pwhash_str_verify(
        padded(hash), buffer.bindMemory(to: CChar.self).baseAddress ?? emptyText, UInt64(buffer.count)) == 0
    }
  }

  /// Returns whether a hash was made with different parameters.
  package static func isOutdated(_ hash: String, _ cost: PasswordCost) -> Bool {
    crypto_pwhash_str_needs_rehash(padded(hash), UInt64(cost.passes), cost.memory) != 0
  }

  /// Pads a hash to the fixed number of characters that libsodium reads.
  private static func padded(_ hash: String) -> [CChar] {
    let characters = hash.utf8.prefix(Int(crypto_pwhash_STRBYTES) - 1).map { CChar(bitPattern: $0) }
    return characters + Array(repeating: 0, count: Int(crypto_pwhash_STRBYTES) - characters.count)
  }

  /// Returns a key that is derived from a passphrase with Argon2id, or nil if there is not enough memory.
  package static func key(_ passphrase: [UInt8], salt: [UInt8], _ cost: PasswordCost) -> [UInt8]? {
    precondition(salt.count == saltSize)
    var key = [UInt8](repeating: 0, count: 32)
    let code = passphrase.withUnsafeBytes { buffer in
      crypto_pwhash(
        &key, UInt64(key.count), buffer.bindMemory(to: CChar.self).baseAddress ?? emptyText,
        UInt64(buffer.count), salt, UInt64(cost.passes), cost.memory, crypto_pwhash_ALG_ARGON2ID13)
    }
    return code == 0 ? key : nil
  }

  /// The number of bytes of a salt for ``key(_:salt:_:)``.
  package static let saltSize = crypto_pwhash_saltbytes()

  // A valid address for the empty password. It is allocated once and never written.
  nonisolated(unsafe) private static let emptyText: UnsafePointer<CChar> = {
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    text.initialize(to: 0)
    return UnsafePointer(text)
  }()
}

/// The cost parameters of Argon2id.
package struct PasswordCost: Sendable, Hashable {
  /// The number of passes over the memory.
  package var passes: Int
  /// The amount of memory in bytes.
  package var memory: Int

  package init(passes: Int, memory: Int) {
    self.passes = passes
    self.memory = memory
  }

  /// libsodium's parameters for interactive use: 64 MiB, two passes, one thread.
  package static let interactive = PasswordCost(passes: 2, memory: 64 << 20)
  /// The minimum that libsodium accepts. For tests only.
  package static let minimum = PasswordCost(passes: 1, memory: 8 << 10)
}

extension PasswordCost {
  /// For keys that somebody could guess without limits: 256 MiB, three passes.
  package static let moderate = PasswordCost(passes: 3, memory: 256 << 20)

  /// Whether libsodium accepts the parameters, and they take an acceptable time.
  package var isAcceptable: Bool { 1...16 ~= passes && 8 << 10...1 << 30 ~= memory }
}

/// Encrypts a stream of chunks (XChaCha20-Poly1305). The reader finds out if chunks are changed, missing or in another order.
package struct StreamEncryption: ~Copyable {
  /// The number of bytes that come before the chunks.
  package static let headerSize = crypto_secretstream_xchacha20poly1305_headerbytes()
  /// The number of bytes that encryption adds to a chunk.
  package static let overhead = crypto_secretstream_xchacha20poly1305_abytes()

  private var state = crypto_secretstream_xchacha20poly1305_state()
  package let header: [UInt8]

  /// - Parameter key: 32 bytes.
  package init(key: [UInt8]) {
    precondition(key.count == crypto_secretstream_xchacha20poly1305_keybytes())
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    crypto_secretstream_xchacha20poly1305_init_push(&state, &header, key)
    self.header = header
  }

  /// - Parameter associated: bytes that the reader must know too.
  package mutating func encrypt(_ bytes: [UInt8], isLast: Bool, associated: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: bytes.count + Self.overhead)
    crypto_secretstream_xchacha20poly1305_push(
      &state, &result, nil, bytes, UInt64(bytes.count), associated, UInt64(associated.count),
      isLast ? crypto_secretstream_xchacha20poly1305_tag_final() : 0)
    return result
  }
}

/// Decrypts a stream of chunks.
package struct StreamDecryption: ~Copyable {
  private var state = crypto_secretstream_xchacha20poly1305_state()

  /// Returns nil if the header is not valid.
  package init?(key: [UInt8], header: [UInt8]) {
    guard key.count == crypto_secretstream_xchacha20poly1305_keybytes(),
      header.count == StreamEncryption.headerSize,
      crypto_secretstream_xchacha20poly1305_init_pull(&state, header, key) == 0
    else { return nil }
  }

  /// Returns the bytes of a chunk, and whether it is the last one. Returns nil if the chunk is not the next one of the stream.
  package mutating func decrypt(_ chunk: [UInt8], associated: [UInt8]) -> (bytes: [UInt8], isLast: Bool)? {
    guard chunk.count >= StreamEncryption.overhead else { return nil }
    var bytes = [UInt8](repeating: 0, count: chunk.count - StreamEncryption.overhead)
    var tag: UInt8 = 0
    let code = crypto_secretstream_xchacha20poly1305_pull(
      &state, &bytes, nil, &tag, chunk, UInt64(chunk.count), associated, UInt64(associated.count))
    guard code == 0 else { return nil }
    return (bytes, tag == crypto_secretstream_xchacha20poly1305_tag_final())
  }
}
