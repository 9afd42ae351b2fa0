import CLinux
import Glibc
import LoopThread
import Synchronization

/// Looks up host names for all clients of the process, on a limited number of its own threads.
///
/// No thread blocks on a look-up. The result is delivered by a callback, on the thread that asked the system.
final class NameService: Sendable {
  static let shared = NameService(resolve: systemAddresses)

  /// The system's answer for a name.
  enum Answer: Sendable {
    /// Numeric addresses in the order in which to try them, with IPv6 addresses in brackets. An empty array is a
    /// failure.
    case addresses([String])
    case failure(TransferFailure)
  }

  /// Addresses, and the time until which they are valid.
  struct Known: Sendable {
    var addresses: [String]
    var expiry: Monotonic
  }

  typealias Waiter = @Sendable (Result<Known, TransferFailure>) -> Void

  private let state: Mutex<NameServiceStateMachine<Waiter>>
  private let resolve: @Sendable (String) -> Answer

  static let maximumThreads = 64
  /// The maximum number of names whose addresses are remembered.
  static let maximumEntries = 1024
  /// The time for which addresses are remembered.
  static let lifetime = Duration.seconds(60)

  init(
    maximumThreads: Int = maximumThreads, lifetime: Duration = lifetime,
    resolve: @escaping @Sendable (String) -> Answer
  ) {
    state = Mutex(NameServiceStateMachine(maximumWorkers: maximumThreads, lifetime: lifetime))
    self.resolve = resolve
  }

  /// Returns the addresses of a name if they are known. Otherwise calls the waiter later, exactly once.
  func ask(_ name: String, now: Monotonic, waiter: @escaping Waiter) -> Known? {
    switch state.withLock({ $0.ask(name, now: now, waiter: waiter) }) {
    case .answer(let addresses, let expiry): return Known(addresses: addresses, expiry: expiry)
    case .wait(_, let startsWorker):
      if startsWorker { startWorker() }
      return nil
    }
  }

  /// Forgets addresses that did not work. The next request asks the system again.
  func forget(_ name: String) { state.withLock { $0.forget(name) } }

  private func startWorker() {
    guard LoopThread.start("retriever-names", { self.work() }) != 0 else { return }
    let waiters = state.withLock { $0.workerFailed() }
    let failure = TransferFailure(
      .outOfMemory, message: "Could not start a name look-up: the system has no thread left.")
    for waiter in waiters { waiter(.failure(failure)) }
  }

  private func work() {
    while let name = state.withLock({ $0.nextName() }) {
      var answer = resolve(name)
      if case .addresses([]) = answer { answer = .failure(Self.failure(of: name, EAI_NONAME, 0)) }
      let now = Monotonic.now()
      switch answer {
      case .addresses(let addresses):
        let (waiters, expiry) = state.withLock { ($0.answered(name, addresses, now: now), now + $0.lifetime) }
        for waiter in waiters { waiter(.success(Known(addresses: addresses, expiry: expiry))) }
      case .failure(let failure):
        let waiters = state.withLock { $0.answered(name, nil, now: now) }
        for waiter in waiters { waiter(.failure(failure)) }
      }
    }
  }

  // MARK: The system's answer

  /// Asks the system, which may take a long time.
  static func systemAddresses(of name: String) -> Answer {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, nil, &hints, &list)
    guard code == 0 else { return .failure(failure(of: name, code, errno)) }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next, addresses.count < maximumAddresses {
      if let text = numeric(entry.pointee), !addresses.contains(text) { addresses.append(text) }
      next = entry.pointee.ai_next
    }
    return .addresses(addresses)
  }

  /// The maximum number of addresses of one name.
  static let maximumAddresses = 64

  /// Returns the address as text; nil for an address that libcurl does not accept in numeric form, such as one with a
  /// zone.
  private static func numeric(_ entry: addrinfo) -> String? {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch entry.ai_family {
    case AF_INET:
      return entry.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        inet_ntop(AF_INET, &address.pointee.sin_addr, &text, socklen_t(text.count)) == nil
          ? nil : string(text)
      }
    case AF_INET6:
      return entry.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
        guard address.pointee.sin6_scope_id == 0,
          inet_ntop(AF_INET6, &address.pointee.sin6_addr, &text, socklen_t(text.count)) != nil
        else { return nil }
        return "[\(string(text))]"
      }
    default: return nil
    }
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func failure(of name: String, _ code: Int32, _ error: Int32) -> TransferFailure {
    let reason = code == EAI_SYSTEM ? String(cString: strerror(error)) : String(cString: gai_strerror(code))
    switch code {
    case EAI_AGAIN, EAI_SYSTEM:
      return TransferFailure(
        .nameServiceFailed,
        message: "Could not look up the host \(name): \(reason). Check the network connection.")
    case EAI_MEMORY:
      return TransferFailure(.outOfMemory, message: "Could not look up the host \(name): \(reason).")
    default:
      return TransferFailure(
        .hostNotFound, message: "Could not find the host \(name): \(reason). Check the spelling.")
    }
  }
}
