#if !canImport(Darwin)
import Foundation
import TransferEngine

extension ServerTrust {
  /// An X.509 certificate: what `SecCertificate` is on Apple's platforms.
  public struct Certificate: Sendable, Hashable, CustomStringConvertible {
    /// The certificate in DER.
    public let data: Data

    /// The distinguished name of the owner, such as `CN=example.com,O=Example`.
    public let subject: String

    /// The distinguished name of the authority that signed the certificate.
    public let issuer: String

    /// The host names and IP addresses that the certificate is for.
    public let names: [String]

    /// When the certificate becomes valid.
    public let notValidBefore: Date

    /// When the certificate expires.
    public let notValidAfter: Date

    /// The SHA-256 hash of the public key: of the subject public key info in DER, as in a pin.
    public let publicKeyDigest: Data

    /// Reads a certificate. Returns nil if the data are damaged.
    ///
    /// - Parameter der: The certificate in DER.
    public init?(der: Data) {
      guard let details = CertificateDetails([UInt8](der)) else { return nil }
      data = der
      subject = details.subject
      issuer = details.issuer
      names = details.names
      notValidBefore = Date(timeIntervalSince1970: TimeInterval(details.start))
      notValidAfter = Date(timeIntervalSince1970: TimeInterval(details.end))
      publicKeyDigest = Data(details.publicKeyDigest)
    }

    /// Returns the certificates in a PEM text, and skips its other parts.
    public static func certificates(pem: Data) -> [Certificate] {
      CertificateDetails.certificates(pem: [UInt8](pem)).compactMap { Certificate(der: Data($0)) }
    }

    /// The certificate in PEM.
    public var pem: String {
      let text = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }

    /// The SHA-256 hash of the certificate in DER.
    public var digest: Data { Data(Digests.sha256(data) ?? []) }

    /// Whether two certificates have the same bytes.
    public static func == (left: Certificate, right: Certificate) -> Bool { left.data == right.data }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(data) }

    /// The owner and the authority, for logs.
    public var description: String { "<Certificate \(subject), issued by \(issuer)>" }
  }
}
#endif
