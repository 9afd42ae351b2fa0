#if !canImport(Darwin)
import TransferEngine

/// The exchange of a task: with a server, or with a `URLProtocol`.
enum TaskLoad: Sendable {
  case transfer(Transfer)
  case custom(ProtocolLoad)

  /// Keeps the exchange from beginning until ``resumeReceiving()``.
  func holdBeforeStart() {
    switch self {
    case .transfer(let transfer): transfer.holdBeforeStart()
    case .custom(let load): load.holdBeforeStart()
    }
  }

  func start() {
    switch self {
    case .transfer(let transfer): transfer.start()
    case .custom(let load): load.start()
    }
  }

  /// Keeps the exchange from beginning, if it has not begun.
  func hold() {
    switch self {
    case .transfer(let transfer): transfer.hold()
    case .custom(let load): load.holdBeforeStart()
    }
  }

  func resumeReceiving() {
    switch self {
    case .transfer(let transfer): transfer.resumeReceiving()
    case .custom(let load): load.resumeReceiving()
    }
  }

  func cancel() {
    switch self {
    case .transfer(let transfer): transfer.cancel()
    case .custom(let load): load.cancel()
    }
  }
}
#endif
