#if !canImport(Darwin)
import Foundation
import Glibc
import TransferEngine

/// Which sign-ins of connections this system can perform.
enum SignInSupport {
  static func isAvailable(_ scheme: ConnectionSignIn.Scheme) -> Bool {
    guard scheme.isAvailable else { return false }
    return switch scheme {
    case .ntlm: true
    // Without a ticket, Negotiate always fails, and would hide the other schemes that the server offers.
    case .negotiate: hasKerberosCache
    }
  }

  /// Whether the user has a Kerberos credential cache: the one in `KRB5CCNAME`, or the default file.
  private static var hasKerberosCache: Bool {
    if let name = ProcessInfo.processInfo.environment["KRB5CCNAME"], !name.isEmpty {
      let parts = name.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return FileManager.default.fileExists(atPath: name) }
      return parts[0] != "FILE" || FileManager.default.fileExists(atPath: String(parts[1]))
    }
    return FileManager.default.fileExists(atPath: "/tmp/krb5cc_\(getuid())")
  }
}
#endif
