#if !canImport(Darwin)
// Apple's names in Apple's spelling, so that programs that use them compile unchanged.
// swift-format-ignore-file: TypeNamesShouldBeCapitalized, AlwaysUseLowerCamelCase

/// A version of TLS.
public enum tls_protocol_version_t: UInt16, Sendable {
  /// TLS 1.0.
  case TLSv10 = 0x0301

  /// TLS 1.1.
  case TLSv11 = 0x0302

  /// TLS 1.2.
  case TLSv12 = 0x0303

  /// TLS 1.3.
  case TLSv13 = 0x0304

  /// DTLS 1.0.
  case DTLSv10 = 0xFEFF

  /// DTLS 1.2.
  case DTLSv12 = 0xFEFD
}

/// A cipher suite of TLS, by its number in IANA's registry.
///
/// Unlike on Apple's platforms, this is not an enumeration, so that unknown suites keep their number.
public struct tls_ciphersuite_t: RawRepresentable, Sendable, Hashable {
  /// The number in IANA's registry.
  public let rawValue: UInt16

  /// Creates a suite from its number.
  ///
  /// - Parameter rawValue: The number in IANA's registry.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// TLS_RSA_WITH_3DES_EDE_CBC_SHA.
  public static let RSA_WITH_3DES_EDE_CBC_SHA = tls_ciphersuite_t(rawValue: 0x000A)

  /// TLS_RSA_WITH_AES_128_CBC_SHA.
  public static let RSA_WITH_AES_128_CBC_SHA = tls_ciphersuite_t(rawValue: 0x002F)

  /// TLS_RSA_WITH_AES_256_CBC_SHA.
  public static let RSA_WITH_AES_256_CBC_SHA = tls_ciphersuite_t(rawValue: 0x0035)

  /// TLS_RSA_WITH_AES_128_GCM_SHA256.
  public static let RSA_WITH_AES_128_GCM_SHA256 = tls_ciphersuite_t(rawValue: 0x009C)

  /// TLS_RSA_WITH_AES_256_GCM_SHA384.
  public static let RSA_WITH_AES_256_GCM_SHA384 = tls_ciphersuite_t(rawValue: 0x009D)

  /// TLS_RSA_WITH_AES_128_CBC_SHA256.
  public static let RSA_WITH_AES_128_CBC_SHA256 = tls_ciphersuite_t(rawValue: 0x003C)

  /// TLS_RSA_WITH_AES_256_CBC_SHA256.
  public static let RSA_WITH_AES_256_CBC_SHA256 = tls_ciphersuite_t(rawValue: 0x003D)

  /// TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA.
  public static let ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA = tls_ciphersuite_t(rawValue: 0xC008)

  /// TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA.
  public static let ECDHE_ECDSA_WITH_AES_128_CBC_SHA = tls_ciphersuite_t(rawValue: 0xC009)

  /// TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA.
  public static let ECDHE_ECDSA_WITH_AES_256_CBC_SHA = tls_ciphersuite_t(rawValue: 0xC00A)

  /// TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA.
  public static let ECDHE_RSA_WITH_3DES_EDE_CBC_SHA = tls_ciphersuite_t(rawValue: 0xC012)

  /// TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA.
  public static let ECDHE_RSA_WITH_AES_128_CBC_SHA = tls_ciphersuite_t(rawValue: 0xC013)

  /// TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA.
  public static let ECDHE_RSA_WITH_AES_256_CBC_SHA = tls_ciphersuite_t(rawValue: 0xC014)

  /// TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256.
  public static let ECDHE_ECDSA_WITH_AES_128_CBC_SHA256 = tls_ciphersuite_t(rawValue: 0xC023)

  /// TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384.
  public static let ECDHE_ECDSA_WITH_AES_256_CBC_SHA384 = tls_ciphersuite_t(rawValue: 0xC024)

  /// TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256.
  public static let ECDHE_RSA_WITH_AES_128_CBC_SHA256 = tls_ciphersuite_t(rawValue: 0xC027)

  /// TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384.
  public static let ECDHE_RSA_WITH_AES_256_CBC_SHA384 = tls_ciphersuite_t(rawValue: 0xC028)

  /// TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256.
  public static let ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 = tls_ciphersuite_t(rawValue: 0xC02B)

  /// TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384.
  public static let ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 = tls_ciphersuite_t(rawValue: 0xC02C)

  /// TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.
  public static let ECDHE_RSA_WITH_AES_128_GCM_SHA256 = tls_ciphersuite_t(rawValue: 0xC02F)

  /// TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384.
  public static let ECDHE_RSA_WITH_AES_256_GCM_SHA384 = tls_ciphersuite_t(rawValue: 0xC030)

  /// TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256.
  public static let ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 = tls_ciphersuite_t(rawValue: 0xCCA8)

  /// TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256.
  public static let ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 = tls_ciphersuite_t(rawValue: 0xCCA9)

  /// TLS_AES_128_GCM_SHA256.
  public static let AES_128_GCM_SHA256 = tls_ciphersuite_t(rawValue: 0x1301)

  /// TLS_AES_256_GCM_SHA384.
  public static let AES_256_GCM_SHA384 = tls_ciphersuite_t(rawValue: 0x1302)

  /// TLS_CHACHA20_POLY1305_SHA256.
  public static let CHACHA20_POLY1305_SHA256 = tls_ciphersuite_t(rawValue: 0x1303)

}
#endif
