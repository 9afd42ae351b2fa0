#if !canImport(Darwin)
import Foundation
import TransferEngine

/// A hash of a certificate or of its public key, which identifies a server. *Beyond Apple's API.*
///
/// A pin of a public key stays valid when the server's certificate is renewed with the same key. The key may be the
/// server's own, or that of an authority in the path to the trusted certificate.
public struct ServerPin: Sendable, Hashable, LosslessStringConvertible {
  let value: TransferEngine.ServerPin

  /// Reads the pin of a public key, such as `sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=`; nil if the text is not
  /// a valid pin.
  ///
  /// This command prints the hash of a server's key:
  ///
  ///     openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \
  ///       | openssl dgst -sha256 -binary | base64
  ///
  /// - Parameter description: `sha256/` and the hash in base64. The form of curl, `sha256//`, is accepted too.
  public init?(_ description: String) {
    let prefix = "sha256/"
    guard description.hasPrefix(prefix) else { return nil }
    var text = description.dropFirst(prefix.count)
    // 32 bytes are 44 characters.
    if text.utf8.count == 45, text.first == "/" { text = text.dropFirst() }
    guard let hash = Data(base64Encoded: String(text)), hash.count == 32 else { return nil }
    value = .publicKey([UInt8](hash))
  }

  private init(_ value: TransferEngine.ServerPin) { self.value = value }

  /// The pin of a certificate's public key.
  public static func publicKey(of certificate: ServerTrust.Certificate) -> ServerPin {
    ServerPin(.publicKey([UInt8](certificate.publicKeyDigest)))
  }

  /// The pin of a certificate, which no renewed certificate has.
  public static func certificate(_ certificate: ServerTrust.Certificate) -> ServerPin {
    ServerPin(.certificate([UInt8](certificate.digest)))
  }

  /// The pin in the form that `init(_:)` reads; with `certificate-sha256/` if it is of a certificate.
  public var description: String {
    switch value {
    case .publicKey(let hash): "sha256/" + Data(hash).base64EncodedString()
    case .certificate(let hash): "certificate-sha256/" + Data(hash).base64EncodedString()
    }
  }
}

/// The pins of a host. *Beyond Apple's API.*
///
/// The server is accepted if its certificates are valid and one of them has one of the pins. Pin at least two keys: the
/// current one, and a backup key that replaces it one day. With no pins, all loads from the host fail.
public struct PinnedHost: Sendable, Hashable {
  /// The host's name or address. An address stands for all of its spellings.
  public let host: String

  /// Whether the pins are also for all names below the host's.
  public let includesSubdomains: Bool

  /// The pins, of which one is enough.
  public let pins: [ServerPin]

  /// Creates the pins of a host.
  ///
  /// - Parameters:
  ///   - host: The host's name or address.
  ///   - includesSubdomains: Whether the pins are also for all names below it. Entries for longer names have precedence.
  ///   - pins: The pins, of which one is enough.
  public init(_ host: String, includesSubdomains: Bool = false, pins: [ServerPin]) {
    self.host = host
    self.includesSubdomains = includesSubdomains
    self.pins = pins
  }

  var engineValue: PinnedServer {
    // The engine's hosts have no brackets, and the ASCII form of international names.
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    let name = HostPattern.normalized(bare)
    let ascii = name.utf8.allSatisfy { $0 < 0x80 } ? name : URL(string: "http://\(name)/")?.host ?? name
    return PinnedServer(
      host: ascii, includesSubdomains: includesSubdomains, pins: Set(pins.map(\.value)))
  }
}
#endif
