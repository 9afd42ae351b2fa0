import Foundation
import Glibc

/// A certificate authority for tests, with valid and invalid server certificates. The `openssl` command creates the
/// files in a temporary directory.
public final class TestAuthority: Sendable {
  /// The certificates that a server can present.
  public enum Certificate: String, Sendable, CaseIterable {
    /// Valid for localhost, origin.test, 127.0.0.1 and ::1.
    case valid
    /// Expired in 2021.
    case expired
    /// Not valid before 2090.
    case notYetValid = "not-yet-valid"
    /// For other.example only.
    case wrongHost = "wrong-host"
    /// Signed by its own key.
    case selfSigned = "self-signed"
    /// Signed by an authority that clients do not trust.
    case unknownAuthority = "unknown-authority"
    /// Valid for localhost by its common name only, which clients have long rejected.
    case commonNameOnly = "common-name-only"
  }

  /// The certificates that a client can present.
  public enum Client: String, Sendable, CaseIterable {
    case ada, grace
  }

  /// Returns the file of a client's certificate (PEM).
  public func certificateFile(_ client: Client) -> URL {
    directory.appendingPathComponent("client-\(client.rawValue).pem")
  }

  /// Returns the key file of a client's certificate (PEM).
  public func keyFile(_ client: Client) -> URL {
    directory.appendingPathComponent("client-\(client.rawValue).key")
  }

  /// Returns the certificate and the key of a client (PEM).
  public func identity(_ client: Client) throws -> Data {
    try Data(contentsOf: certificateFile(client)) + Data(contentsOf: keyFile(client))
  }

  private static let made = Result { try TestAuthority() }
  private static let directoryVariable = "RETRIEVER_TEST_AUTHORITY"

  /// Kept until the process ends. Nil if the files belong to the program that started this one.
  private let owned: TemporaryDirectory?
  private let directory: URL

  /// Returns the authority of this process, which is created on first use.
  public static func shared() throws -> TestAuthority { try made.get() }

  /// The environment variable that makes a child process use this authority.
  public var environment: [String: String] { [Self.directoryVariable: directory.path] }

  /// The authority's certificate, for clients to trust (PEM).
  public var authorityFile: URL { directory.appendingPathComponent("authority.pem") }

  /// Returns the file of a server's certificate (PEM).
  public func certificateFile(_ certificate: Certificate) -> URL {
    directory.appendingPathComponent("\(certificate.rawValue).pem")
  }

  /// Returns the key file of a server's certificate (PEM).
  public func keyFile(_ certificate: Certificate) -> URL {
    directory.appendingPathComponent("\(certificate.rawValue).key")
  }

  private init() throws {
    if let path = ProcessInfo.processInfo.environment[Self.directoryVariable] {
      directory = URL(fileURLWithPath: path, isDirectory: true)
      owned = nil
      return
    }
    let owned = try TemporaryDirectory()
    self.owned = owned
    directory = owned.url
    try owned.write(Data(Self.configuration(root: directory.path).utf8), to: "openssl.cnf")
    try owned.write(Data(), to: "index.txt")
    try owned.write(Data("01\n".utf8), to: "serial")
    for name in ["authority", "stranger"] {
      try openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
        "-subj", "/CN=Retriever test \(name)", "-extensions", "authority", "-keyout", "\(name).key",
        "-out", "\(name).pem")
    }
    for certificate in Certificate.allCases { try make(certificate) }
    for client in Client.allCases { try make(client) }
  }

  private func make(_ certificate: Certificate) throws {
    let name = certificate.rawValue
    let extensions =
      switch certificate {
      case .wrongHost: "other_server"
      case .commonNameOnly: "nameless_server"
      default: "server"
      }
    guard certificate != .selfSigned else {
      return try openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
        "-subj", "/CN=localhost", "-extensions", extensions, "-keyout", "\(name).key", "-out", "\(name).pem")
    }
    try openssl(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-subj", "/CN=\(certificate == .commonNameOnly ? "localhost" : name)", "-keyout", "\(name).key", "-out",
      "\(name).csr")
    let (start, end) =
      switch certificate {
      case .expired: ("20200101000000Z", "20210101000000Z")
      case .notYetValid: ("20900101000000Z", "20910101000000Z")
      default: ("20240101000000Z", "20490101000000Z")
      }
    let signer = certificate == .unknownAuthority ? "stranger" : "authority"
    try openssl(
      "ca", "-batch", "-notext", "-cert", "\(signer).pem", "-keyfile", "\(signer).key", "-in", "\(name).csr",
      "-out", "\(name).pem", "-startdate", start,
      "-enddate", end, "-extensions", extensions)
  }

  private func make(_ client: Client) throws {
    let name = "client-\(client.rawValue)"
    try openssl(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
      "/CN=\(client.rawValue)", "-keyout", "\(name).key", "-out", "\(name).csr")
    try openssl(
      "ca", "-batch", "-notext", "-cert", "authority.pem", "-keyfile", "authority.key", "-in", "\(name).csr",
      "-out", "\(name).pem", "-startdate", "20240101000000Z", "-enddate", "20490101000000Z", "-extensions",
      "client")
  }

  private func openssl(_ command: String, _ arguments: String...) throws {
    let configuration = directory.appendingPathComponent("openssl.cnf").path
    let inDirectory = arguments.map { argument in
      let isFile = [".pem", ".key", ".csr"].contains { argument.hasSuffix($0) }
      return isFile ? directory.appendingPathComponent(argument).path : argument
    }
    try ChildProcess.run(["openssl", command, "-config", configuration] + inDirectory)
  }

  private static func configuration(root: String) -> String {
    """
    [req]
    distinguished_name = name
    prompt = no
    [name]
    [ca]
    default_ca = test
    [test]
    dir = \(root)
    database = $dir/index.txt
    serial = $dir/serial
    new_certs_dir = $dir
    certificate = $dir/authority.pem
    private_key = $dir/authority.key
    default_md = sha256
    policy = policy
    unique_subject = no
    [policy]
    commonName = supplied
    [authority]
    basicConstraints = critical, CA:TRUE
    keyUsage = critical, keyCertSign, cRLSign
    subjectKeyIdentifier = hash
    [server]
    basicConstraints = CA:FALSE
    keyUsage = critical, digitalSignature
    extendedKeyUsage = serverAuth
    subjectAltName = DNS:localhost, DNS:origin.test, IP:127.0.0.1, IP:::1
    [client]
    basicConstraints = CA:FALSE
    keyUsage = critical, digitalSignature
    extendedKeyUsage = clientAuth
    [other_server]
    basicConstraints = CA:FALSE
    extendedKeyUsage = serverAuth
    subjectAltName = DNS:other.example
    [nameless_server]
    basicConstraints = CA:FALSE
    keyUsage = critical, digitalSignature
    extendedKeyUsage = serverAuth

    """
  }
}
