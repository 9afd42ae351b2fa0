#if !canImport(Darwin)
import Foundation
import TransferEngine

/// A private key with its certificate, which identifies the program to servers: what `SecIdentity` is on Apple's
/// platforms.
///
/// Nothing prints the key: not `description`, not `dump`, and no error.
public struct ClientIdentity: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let key: ClientKey

  /// The certificate of the key.
  public let certificate: ServerTrust.Certificate

  /// The intermediate certificates that are sent along.
  public let intermediateCertificates: [ServerTrust.Certificate]

  /// Reads a PEM file with a certificate, its intermediate certificates, and the key.
  ///
  /// - Parameters:
  ///   - pem: The contents of the file. The first certificate must be that of the key.
  ///   - password: The password of an encrypted key.
  /// - Throws: ``ClientIdentityError``.
  public init(pem: Data, password: String? = nil) throws(ClientIdentityError) {
    try self.init(certificatePEM: pem, keyPEM: pem, password: password)
  }

  /// Reads a certificate and its key from two PEM files.
  ///
  /// - Parameters:
  ///   - certificatePEM: The certificate of the key, followed by its intermediate certificates.
  ///   - keyPEM: The key.
  ///   - password: The password of an encrypted key.
  /// - Throws: ``ClientIdentityError``.
  public init(certificatePEM: Data, keyPEM: Data, password: String? = nil) throws(ClientIdentityError) {
    do {
      try self.init(
        ClientKey(certificates: [UInt8](certificatePEM), key: [UInt8](keyPEM), password: password))
    } catch {
      throw ClientIdentityError(error, hasPassword: password != nil)
    }
  }

  /// Reads a PKCS#12 file (`.p12` or `.pfx`).
  ///
  /// OpenSSL 3 refuses files that are encrypted with RC2, which older programs write. Convert such a file with
  /// `openssl pkcs12 -legacy`.
  ///
  /// - Parameters:
  ///   - pkcs12: The contents of the file.
  ///   - password: The file's password; empty if it has none.
  /// - Throws: ``ClientIdentityError``.
  public init(pkcs12: Data, password: String) throws(ClientIdentityError) {
    do {
      try self.init(ClientKey(archive: [UInt8](pkcs12), password: password))
    } catch {
      throw ClientIdentityError(error, hasPassword: true)
    }
  }

  private init(_ key: ClientKey) throws(ClientKey.Failure) {
    let certificates = key.certificates.compactMap { ServerTrust.Certificate(der: Data($0)) }
    guard let own = certificates.first else { throw .noCertificate }
    self.key = key
    certificate = own
    intermediateCertificates = Array(certificates.dropFirst())
  }

  /// Whether two identities have the same certificates.
  public static func == (left: ClientIdentity, right: ClientIdentity) -> Bool {
    left.certificate == right.certificate
      && left.intermediateCertificates == right.intermediateCertificates
  }

  /// Hashes the certificate.
  public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }

  /// The certificate's owner, without the key.
  public var description: String { "<ClientIdentity \(certificate.subject)>" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows no key.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason why a ``ClientIdentity`` could not be read.
public struct ClientIdentityError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// The kinds of reasons. New versions may add some.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// The file has no certificate.
    public static let noCertificate = Code(description: "noCertificate")
    /// The file has no private key.
    public static let noKey = Code(description: "noKey")
    /// The password is missing or wrong.
    public static let wrongPassword = Code(description: "wrongPassword")
    /// The key does not belong to the certificate.
    public static let keyMismatch = Code(description: "keyMismatch")
    /// The file is encrypted with an algorithm that OpenSSL refuses.
    public static let unsupportedAlgorithm = Code(description: "unsupportedAlgorithm")
    /// The file is damaged, or has another format.
    public static let damaged = Code(description: "damaged")
    /// libcurl does not use OpenSSL.
    public static let unavailable = Code(description: "unavailable")
  }

  /// The kind of reason.
  public let code: Code

  /// What happened, and what to do.
  public let description: String

  /// The same as `description`.
  public var errorDescription: String? { description }

  init(_ failure: ClientKey.Failure, hasPassword: Bool) {
    let start = "Could not read the client certificate: "
    switch failure {
    case .noCertificate:
      code = .noCertificate
      description = start + "the file has no certificate."
    case .noKey:
      code = .noKey
      description = start + "the file has no private key. Pass the file with the key, too."
    case .wrongPassword:
      code = .wrongPassword
      description =
        start + (hasPassword ? "the password is wrong." : "the key is encrypted. Pass its password.")
    case .mismatch:
      code = .keyMismatch
      description = start + "the private key does not belong to the certificate."
    case .unsupportedAlgorithm:
      code = .unsupportedAlgorithm
      description =
        start + "it is encrypted with an algorithm that OpenSSL 3 refuses, such as RC2. Convert the file: "
        + "openssl pkcs12 -legacy -in OLD.p12 -nodes | openssl pkcs12 -export -out NEW.p12"
    case .damaged:
      code = .damaged
      description = start + "the file is damaged, or has another format."
    case .unavailable:
      code = .unavailable
      description = start + "this needs a libcurl that uses OpenSSL."
    }
  }
}
#endif
