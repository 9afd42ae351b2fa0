#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import TransferEngine

extension ProxySettings {
  /// Reads the value of ``URLSessionConfiguration/connectionProxyDictionary``.
  init(connectionProxyDictionary dictionary: [AnyHashable: Any]) {
    self.init()
    let values = ProxyDictionary(values: dictionary)
    let socks = values.route(
      "SOCKS", scheme: values.usesSOCKS4 ? "socks4a" : "socks5h", defaultPort: 1080,
      user: values.text("kCFStreamPropertySOCKSUser") ?? values.user,
      password: values.text("kCFStreamPropertySOCKSPassword") ?? values.password)
    func http(_ name: String) -> Route {
      let route = values.route(
        name, scheme: "http", defaultPort: 80, user: values.user, password: values.password)
      return route == .direct ? socks : route
    }
    self.http = http("HTTP")
    https = http("HTTPS")
    exceptsSimpleNames = values.isTrue("ExcludeSimpleHostnames")
    for pattern in values.list("ExceptionsList") { except(pattern) }
  }
}

/// The values of a proxy dictionary. Apple accepts numbers and text for most of them.
private struct ProxyDictionary {
  let values: [AnyHashable: Any]

  var user: String? { text("kCFProxyUsernameKey") }
  var password: String? { text("kCFProxyPasswordKey") }

  var usesSOCKS4: Bool {
    text("kCFStreamPropertySOCKSVersion") == "kCFStreamSocketSOCKSVersion4"
  }

  func text(_ key: String) -> String? { values[key] as? String }

  func list(_ key: String) -> [String] {
    if let list = values[key] as? [String] { return list }
    return (values[key] as? [Any])?.compactMap { $0 as? String } ?? []
  }

  func number(_ key: String) -> Int? {
    switch values[key] {
    case let number as NSNumber: number.intValue
    case let number as any BinaryInteger: Int(exactly: number)
    case let text as String: ASCII.number(text).map(Int.init)
    default: nil
    }
  }

  func isTrue(_ key: String) -> Bool {
    if let flag = values[key] as? Bool { return flag }
    if let text = text(key), ["true", "yes"].contains(ASCII.lowercased(text)) { return true }
    return number(key).map { $0 != 0 } ?? false
  }

  /// The proxy whose keys begin with a name.
  func route(
    _ name: String, scheme: String, defaultPort: Int, user: String?, password: String?
  ) -> ProxySettings.Route {
    guard isTrue(name + "Enable") else { return .direct }
    guard let host = text(name + "Proxy") else { return .unusable }
    let hasPort = values[name + "Port"] != nil
    guard let port = hasPort ? number(name + "Port") : defaultPort, 1...65_535 ~= port else {
      return .unusable
    }
    let isURL = host.contains("://")
    let isAddress = !isURL && host.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 && !host.hasPrefix("[")
    var address = isURL ? host : "\(scheme)://" + (isAddress ? "[\(host)]" : host)
    let authority = address.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first ?? ""
    let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let end = place.lastIndex(of: "]").map { place[$0...] } ?? place
    if hasPort || !isURL, !end.contains(":") {
      guard address.hasSuffix(authority) else { return .unusable }
      address += ":\(port)"
    }
    guard var proxy = ProxyAddress(address) else { return .unusable }
    if let user { (proxy.user, proxy.password) = (user, password ?? "") }
    proxy.sendsPasswordFirst = false
    return .proxy(proxy)
  }
}
#endif
