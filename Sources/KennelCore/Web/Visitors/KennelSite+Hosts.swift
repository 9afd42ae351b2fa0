import Glibc
import HTTPService

extension AllowedHosts {
  /// Addresses, `localhost`, and the name this machine has now.
  package static func ofThisMachine() -> AllowedHosts {
    var name = [CChar](repeating: 0, count: 256)
    // Without its last byte: a name that is cut short need not end in zero.
    guard gethostname(&name, name.count - 1) == 0 else { return AllowedHosts(machine: nil) }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return AllowedHosts(machine: String(validating: bytes, as: UTF8.self))
  }
}

extension KennelSite {
  /// Refuses requests for a name that is not this kennel's.
  func refuseStrange(_ request: HTTPRequest) throws(Problem) {
    let client = Client(request, configuration: configuration)
    // A browser that came by TLS has seen a certificate for the name. Of what a proxy says only that counts which
    // nobody but a proxy can say: on a port, a page that is already here could say it as well.
    if request.isSecure || (client.isSecure && request.remoteAddress == "unix") { return }
    for host in [request.fields["Host"] ?? ""] + client.forwardedHosts {
      switch configuration.hosts.verdict(on: host) {
      case .allowed: continue
      case .malformed:
        throw .badRequest("The Host of the request is no name and no address. Check the address.")
      case .unknown(let name):
        throw Problem(
          .misdirectedRequest,
          "This kennel is not known as “\(name)”. If that is its name, its owner has to say so, with --name \(name)."
        )
      }
    }
  }
}
