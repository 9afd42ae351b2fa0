import Foundation
import Glibc
import TestSupport

/// FoundationNetworking trusts only the authorities in the system's certificate file. To test it with TLS, the program
/// restarts in a mount namespace in which that file also contains the tests' authority. This changes nothing outside
/// the program.
enum TrustStore {
  private static let variable = "RETRIEVER_TRUST_STORE"

  /// The first existing file of those that FoundationNetworking looks for, in its order.
  private static let systemFile = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
  ].first { FileManager.default.fileExists(atPath: $0) }

  /// Whether this process runs in that namespace.
  static var isPrepared: Bool { ProcessInfo.processInfo.environment[variable] == "prepared" }

  /// Restarts the program in a separate namespace. Returns if the system does not allow this.
  static func prepare() throws {
    guard !isPrepared, let systemFile, (try? ChildProcess.run(["unshare", "-rm", "true"])) != nil else {
      return
    }
    let authority = try TestAuthority.shared()
    let bundle = authority.authorityFile.deletingLastPathComponent().appendingPathComponent("bundle.pem")
    try (try Data(contentsOf: URL(fileURLWithPath: systemFile)) + Data(contentsOf: authority.authorityFile))
      .write(to: bundle)
    for (name, value) in authority.environment { setenv(name, value, 1) }
    setenv(variable, "prepared", 1)
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let arguments =
      [
        "unshare", "-rm", "sh", "-c", #"mount --bind "$1" "$2" && shift 2 && exec "$@""#, "sh", bundle.path,
        systemFile, program,
      ] + CommandLine.arguments.dropFirst()
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    execvp(arguments[0], &pointers)
    throw TestSupportError("could not start unshare: \(String(cString: strerror(errno)))")
  }
}
