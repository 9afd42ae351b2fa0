import Glibc
import HTTPService

extension AllowedHosts {
  /// Accepts addresses, `localhost`, and the current name of this machine.
  package static func ofThisMachine() -> AllowedHosts {
    var name = [CChar](repeating: 0, count: 256)
    // One byte less, because a truncated name may not end with a zero byte.
    guard gethostname(&name, name.count - 1) == 0 else { return AllowedHosts(machine: nil) }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return AllowedHosts(machine: String(validating: bytes, as: UTF8.self))
  }
}

extension KennelSite {
  /// Refuses requests for a host name that this kennel does not accept.
  func refuseUnknownHost(_ request: HTTPRequest) throws(Problem) {
    let client = Client(request, configuration: configuration)
    // Over TLS, the browser has verified a certificate for the name. A proxy's claim of TLS only counts on a Unix
    // socket: on a TCP port, a page that rebinds its name to this server could make the same claim.
    if request.isSecure || (client.isSecure && request.remoteAddress == "unix") { return }
    for host in [request.fields["Host"] ?? ""] + client.forwardedHosts {
      switch configuration.hosts.verdict(on: host) {
      case .allowed: continue
      case .malformed:
        throw .badRequest("The Host field of the request is not a valid name or address. Check the address.")
      case .unknown(let name):
        throw Problem(
          .misdirectedRequest,
          "This kennel does not accept the name “\(name)”. If the name is correct, the owner can add --name \(name)."
        )
      }
    }
  }
}
