#if !canImport(Darwin)
import Dispatch
import Glibc
import Synchronization

/// Reports when the machine's networks change, while someone waits for that.
final class NetworkMonitor: Sendable {
  static let shared = NetworkMonitor()

  /// A socket that Dispatch waits for.
  ///
  /// `@unchecked Sendable`: the source is thread-safe and never replaced.
  private final class Watch: @unchecked Sendable {
    private let source: any DispatchSourceRead

    init(_ socket: Int32, _ queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
      source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
      source.setEventHandler(handler: action)
      source.setCancelHandler { close(socket) }
      source.resume()
    }

    func end() { source.cancel() }
  }

  private struct State {
    var watch: Watch?
    var waiters: [UInt64: @Sendable () -> Void] = [:]
    var lastIdentifier: UInt64 = 0
  }

  /// The socket addresses' family and the groups of changes: links, addresses and routes.
  private static let family = Int32(AF_NETLINK)
  private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "retriever.network")

  /// The networks as they are now.
  static var current: ConnectivityRule.Network {
    guard let state = readState() else { return .unknown }
    return state.isOnline ? .online : .offline
  }

  /// Calls back once after the next change. Returns a number to withdraw with.
  func wait(_ changed: @escaping @Sendable () -> Void) -> UInt64 {
    let (identifier, isFirst) = state.withLock { state in
      state.lastIdentifier += 1
      state.waiters[state.lastIdentifier] = changed
      return (state.lastIdentifier, state.waiters.count == 1)
    }
    if isFirst { start() }
    return identifier
  }

  func withdraw(_ identifier: UInt64) {
    let isLast = state.withLock { state in
      state.waiters[identifier] = nil
      return state.waiters.isEmpty
    }
    if isLast { stop() }
  }

  private func start() {
    guard let socket = Self.openSocket(groups: Self.groups) else { return }
    let watch = Watch(socket, queue) { [self] in
      Self.drain(socket)
      notify()
    }
    let isWanted = state.withLock { state in
      guard state.watch == nil, !state.waiters.isEmpty else { return false }
      state.watch = watch
      return true
    }
    if !isWanted { watch.end() }
  }

  private func stop() {
    let watch = state.withLock { state in state.waiters.isEmpty ? state.watch.take() : nil }
    watch?.end()
  }

  private func notify() {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return state.waiters.values.map { $0 }
    }
    stop()
    for changed in waiters { changed() }
  }

  // MARK: Netlink

  private static func openSocket(groups: UInt32) -> Int32? {
    let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { return nil }
    // struct sockaddr_nl: family, padding, port, groups.
    var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(family), 0, 0, groups)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, 12) }
    }
    guard code == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 8192)
    while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
  }

  /// Asks the kernel for the links and the routes. Nil if it does not answer.
  private static func readState() -> NetworkState? {
    guard let descriptor = openSocket(groups: 0) else { return nil }
    defer { close(descriptor) }
    var state = NetworkState()
    // RTM_GETLINK with struct ifinfomsg, and RTM_GETROUTE with struct rtmsg.
    for (type, length) in [(UInt16(18), 16), (26, 12)] {
      guard request(type, length, descriptor), receive(descriptor, &state) else { return nil }
    }
    return state
  }

  private static func request(_ type: UInt16, _ payload: Int, _ descriptor: Int32) -> Bool {
    var message = [UInt8](repeating: 0, count: 16 + payload)
    message.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: UInt32(bytes.count), as: UInt32.self)
      bytes.storeBytes(of: type, toByteOffset: 4, as: UInt16.self)
      // NLM_F_REQUEST and NLM_F_DUMP.
      bytes.storeBytes(of: 0x301, toByteOffset: 6, as: UInt16.self)
    }
    return send(descriptor, message, message.count, 0) == message.count
  }

  private static func receive(_ descriptor: Int32, _ state: inout NetworkState) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 32 << 10)
    while true {
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 1000) == 1 else { return false }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      switch buffer.withUnsafeBytes({ state.take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }) {
      case .more: continue
      case .done: return true
      case .failed: return false
      }
    }
  }
}
#endif
