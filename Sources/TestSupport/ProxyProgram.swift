import Foundation
import Glibc

/// A proxy that was not written for this project, on 127.0.0.1. Its user is `ada` with the password `secret`.
public final class ProxyProgram: Sendable {
  /// The programs, from Debian's packages of the same names.
  public enum Kind: String, Sendable, CaseIterable {
    /// An HTTP proxy that requires Basic.
    case tinyproxy
    /// An HTTP proxy that requires Digest, and replaces a nonce after three requests.
    case squid
    /// A SOCKS proxy without authentication.
    case danted

    /// Whether the program is installed.
    public var isInstalled: Bool { executable != nil }

    var executable: String? {
      ["/usr/bin/", "/usr/sbin/"].map { $0 + rawValue }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
  }

  /// The port.
  public let port: UInt16
  private let process: ChildProcess
  private let directory: String

  /// Starts a proxy and waits until it accepts connections.
  ///
  /// - Parameter digest: The digest of `ada:gate:secret`, for squid.
  public init(_ kind: Kind, digest: String = "") throws {
    guard let executable = kind.executable else { throw TestSupportError("\(kind.rawValue) is missing.") }
    // squid changes its user, so this directory is not private.
    var name = Array("\(NSTemporaryDirectory())/retriever-proxy.XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw ListeningSocket.failure("Could not create a directory") }
    let directory = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    chmod(directory, 0o777)
    self.directory = directory
    do {
      let free = try ClosedPort()
      port = free.number
    }
    let configuration = "\(directory)/configuration"
    try Data(Self.configuration(of: kind, port: port, directory).utf8)
      .write(to: URL(fileURLWithPath: configuration))
    try Data("ada:gate:\(digest)\n".utf8).write(to: URL(fileURLWithPath: "\(directory)/users"))
    let arguments: [String] =
      switch kind {
      case .tinyproxy: ["-d", "-c", configuration]
      // The name keeps squids apart that run at the same time.
      case .squid: ["-N", "-n", "test\(port)", "-f", configuration]
      case .danted: ["-f", configuration]
      }
    process = try ChildProcess([executable] + arguments)
    let deadline = ContinuousClock.now + .seconds(20)
    while (try? RawClient(port: port, limit: 0)) == nil {
      guard .now < deadline, process.isRunning else {
        throw TestSupportError("Could not start \(kind.rawValue).")
      }
      usleep(20_000)
    }
  }

  deinit {
    process.stop()
    try? FileManager.default.removeItem(atPath: directory)
  }

  private static func configuration(of kind: Kind, port: UInt16, _ directory: String) -> String {
    switch kind {
    case .tinyproxy:
      """
      Port \(port)
      Listen 127.0.0.1
      Timeout 60
      MaxClients 50
      LogFile "/dev/null"
      BasicAuth ada secret

      """
    case .squid:
      """
      auth_param digest program /usr/lib/squid/digest_file_auth -c \(directory)/users
      auth_param digest realm gate
      auth_param digest children 1
      auth_param digest nonce_max_count 3
      acl known proxy_auth REQUIRED
      http_access allow known
      http_access deny all
      http_port 127.0.0.1:\(port)
      pid_filename none
      cache_log /dev/null
      access_log none
      cache deny all
      pinger_enable off
      netdb_filename none
      max_filedescriptors 1024
      shutdown_lifetime 0 seconds
      coredump_dir \(directory)

      """
    case .danted:
      """
      logoutput: /dev/null
      internal: 127.0.0.1 port = \(port)
      external: 127.0.0.1
      clientmethod: none
      socksmethod: none
      user.privileged: root
      user.unprivileged: nobody
      client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
      socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }

      """
    }
  }
}
