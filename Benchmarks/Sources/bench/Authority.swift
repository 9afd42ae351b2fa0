// A certificate authority for this run, and a server certificate for this machine: ECDSA with P-256, like most
// certificates of the web.
import Foundation

struct Authority {
  /// The trust store of every client: this authority and those of the system, because parsing them can be part of the
  /// cost of a new connection. This authority comes first. So a client that reads only as many bytes as the system's
  /// file has also reads it.
  let bundle: URL
  let certificate: URL
  let key: URL

  /// The addresses in the server's certificate.
  static let addresses = (1...5).map { "127.0.0.\($0)" }

  static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

  init(in folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let authority = folder.appending(path: "authority.pem")
    let authorityKey = folder.appending(path: "authority.key")
    let configuration = folder.appending(path: "openssl.cnf")
    bundle = folder.appending(path: "bundle.pem")
    certificate = folder.appending(path: "server.pem")
    key = folder.appending(path: "server.key")
    try Data(Authority.configuration.utf8).write(to: configuration)
    let certified = [
      "req", "-config", configuration.path, "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
      "-nodes",
      "-days", "30",
    ]
    try openssl(
      certified + [
        "-subj", "/CN=Benchmark authority", "-extensions", "authority", "-keyout", authorityKey.path, "-out",
        authority.path,
      ])
    try openssl(
      certified + [
        "-subj", "/CN=localhost", "-extensions", "server", "-CA", authority.path, "-CAkey", authorityKey.path,
        "-keyout", key.path, "-out", certificate.path,
      ])
    let system = try Data(contentsOf: URL(filePath: Authority.systemBundle))
    try (Data(contentsOf: authority) + system).write(to: bundle)
  }

  private func openssl(_ arguments: [String]) throws {
    guard let program = Place.program("openssl") else {
      throw Problem("openssl is missing. Run `make setup-bench`")
    }
    // openssl prints its progress. A failure is visible in the exit status.
    let command = ([program] + arguments).map { "'\($0)'" }.joined(separator: " ")
    _ = try Child("/bin/sh", ["-c", "\(command) 2>/dev/null"]).finish(within: 20)
  }

  private static let configuration = """
    [req]
    distinguished_name = name
    prompt = no
    [name]
    CN = localhost
    [authority]
    basicConstraints = critical, CA:TRUE
    keyUsage = critical, keyCertSign
    subjectKeyIdentifier = hash
    [server]
    basicConstraints = critical, CA:FALSE
    keyUsage = critical, digitalSignature
    extendedKeyUsage = serverAuth
    subjectAltName = DNS:localhost, \(addresses.map { "IP:\($0)" }.joined(separator: ", "))

    """
}
