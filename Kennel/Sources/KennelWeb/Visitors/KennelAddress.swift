import KennelModel

/// The address of this kennel in links that are used on other devices.
struct KennelAddress: Sendable {
  let store: KennelStore
  let policy: RequestPolicy

  /// Returns the beginning of links, such as `https://kennel.example`: what the client of a request uses, unless that leads to
  /// the client's own machine.
  func base(for call: Call) async throws -> String {
    let host = RequestedHost(policy.client(of: call.request).host[...])
    let isLocal = host.map { $0.name == "localhost" || $0.name.hasPrefix("127.") || $0.name == "::1" } ?? true
    if isLocal, let address = try await store.linkAddress() { return address }
    return requested(by: call)
  }

  /// Returns the beginning of the address that the client of a request uses.
  func requested(by call: Call) -> String {
    let client = policy.client(of: call.request)
    return (client.isSecure ? "https://" : "http://") + (client.host.isEmpty ? "localhost" : client.host)
  }
}
