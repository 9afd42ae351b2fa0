#if !canImport(Darwin)
import Foundation
import TransferEngine

/// The certificates of a server, and whether they are valid: what `SecTrust` is on Apple's platforms.
///
/// Linux has no Security framework, so ``URLProtectionSpace/serverTrust`` has this type. A delegate gets it with a challenge
/// whose method is `NSURLAuthenticationMethodServerTrust`, and accepts the server with ``URLCredential/init(trust:)``.
public struct ServerTrust: Sendable, Hashable, CustomStringConvertible {
  /// The host that the session connects to.
  public let host: String

  /// The port that the session connects to.
  public let port: Int

  /// The certificates, the server's own first.
  ///
  /// If ``error`` is nil, this is the path from the server's certificate to a trusted authority. Otherwise it is what the
  /// server sent, and only the first certificate proves anything: the server has its key, and may have copied the others.
  public let certificates: [Certificate]

  /// Why the session's certificate authorities do not confirm that the server is `host`; nil if they do.
  ///
  /// The code is one of `serverCertificateUntrusted`, `serverCertificateHasBadDate`, `serverCertificateNotYetValid` and
  /// `serverCertificateHasUnknownRoot`.
  public let error: URLError?

  /// Identifies exactly the certificates that the server sent.
  let digest: [UInt8]
  /// Whether a credential with this trust accepts a certificate for another host.
  var ignoresHostName = false

  init(_ chain: ServerChain, host: String, port: Int, error: URLError?) {
    self.host = host
    self.port = port
    self.error = error
    digest = chain.digest
    certificates = chain.certificates.compactMap { Certificate(der: Data($0)) }
  }

  /// Whether the session's certificate authorities confirm that the server is ``host``.
  public var isTrusted: Bool { error == nil }

  /// Verifies the certificates with other authorities, for ``host``.
  ///
  /// Reading the system's authorities takes about 20 ms for the first call in a process.
  ///
  /// - Parameter authorities: The trusted authorities. With `.unverified`, everything is valid.
  /// - Throws: The `URLError` that says why the certificates are not valid.
  public func evaluate(with authorities: TrustedCertificates) throws(URLError) {
    let anchors: [UInt8]?
    switch authorities {
    case .unverified: return
    case .system: anchors = nil
    case .pem(let data): anchors = [UInt8](data)
    case .file(let url):
      guard let data = try? Data(contentsOf: url) else {
        throw URLError(
          .secureConnectionFailed, message: "Could not read the certificate file \(url.path).")
      }
      anchors = [UInt8](data)
    }
    let chain = certificates.map { [UInt8]($0.data) }
    if let failure = CertificateVerifier.failure(of: chain, host: host, anchors: anchors) {
      throw URLError(failure, url: nil)
    }
  }

  /// Whether the certificates are valid for ``host`` if exactly these certificates are trusted.
  public func isTrusted(by anchors: [Certificate]) -> Bool {
    let pem = anchors.map(\.pem).joined()
    return (try? evaluate(with: .pem(Data(pem.utf8)))) != nil
  }

  /// Whether one of the certificates has one of the pins.
  ///
  /// If ``error`` is not nil, only the server's own certificate counts.
  public func matches(_ pins: [ServerPin]) -> Bool {
    let proven = isTrusted ? certificates[...] : certificates.prefix(1)
    return proven.contains { certificate in
      pins.contains(.publicKey(of: certificate)) || pins.contains(.certificate(certificate))
    }
  }

  /// The same certificates, in a form that accepts them for any host name.
  ///
  /// A credential with it accepts a server whose certificate is for another host.
  public func ignoringHostName() -> ServerTrust {
    var trust = self
    trust.ignoresHostName = true
    return trust
  }

  /// Whether two values are for the same host and port and the same certificates.
  public static func == (left: ServerTrust, right: ServerTrust) -> Bool {
    left.digest == right.digest && left.host == right.host && left.port == right.port
      && left.ignoresHostName == right.ignoresHostName
  }

  /// Hashes the host and the certificates.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(digest)
    hasher.combine(host)
    hasher.combine(port)
  }

  /// The host, the server's certificate and the result of the verification, for logs.
  public var description: String {
    let name = certificates.first?.subject ?? "no certificate"
    return "<ServerTrust \(host):\(port), \(name), \(error.map { $0.localizedDescription } ?? "valid")>"
  }
}
#endif
