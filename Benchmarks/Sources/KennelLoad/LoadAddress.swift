import Foundation

/// The address of one Kennel process.
package struct LoadAddress: Sendable, Hashable {
  /// The address without a path, such as `http://127.0.0.1:8080`.
  package let text: String
  /// Whether only this machine can be reached under the address.
  package let isLoopback: Bool

  /// Returns nil if the text is not an address with http or https, or has a path, a query or a user.
  package init?(_ text: String) {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
      let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
      ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, parts.user == nil,
      parts.password == nil
    else { return nil }
    self.text = scheme + "://" + host + (parts.port.map { ":\($0)" } ?? "")
    isLoopback = Self.isLoopback(host.lowercased())
  }

  /// Names are not looked up. An unknown form of an address is not a loopback address.
  private static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1", "[::1]"].contains(host) { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }

  package func url(_ path: String) -> URL? { URL(string: text + path) }
}
