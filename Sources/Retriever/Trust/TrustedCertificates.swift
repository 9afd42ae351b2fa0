#if !canImport(Darwin)
import Foundation

/// The certificate authorities that a session trusts. *Beyond Apple's API.*
public enum TrustedCertificates: Sendable, Hashable {
  /// The system's certificate authorities.
  case system
  /// The certificates in a PEM file, and no others.
  case file(URL)
  /// These PEM certificates, and no others.
  case pem(Data)
  /// No verification: the certificate's issuer, host name and validity period are ignored.
  ///
  /// The connection is encrypted, but the server may be an impostor. Anyone between the program and the server can
  /// read and change all traffic, including passwords. Use it only for diagnosis on your own network, never in a
  /// program that others use.
  case unverified
}
#endif
