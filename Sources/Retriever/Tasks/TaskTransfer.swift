#if !canImport(Darwin)
import TransferEngine

/// What a task receives its response from.
enum TaskTransfer: Sendable {
  case network(Transfer)
  case stored(StoredTransfer)
  /// A `URLProtocol`.
  case custom(ProtocolLoad)

  func start() {
    switch self {
    case .network(let transfer): transfer.start()
    case .stored(let transfer): transfer.start()
    case .custom(let load): load.start()
    }
  }

  func cancel() {
    switch self {
    case .network(let transfer): transfer.cancel()
    case .stored(let transfer): transfer.cancel()
    case .custom(let load): load.cancel()
    }
  }

  func hold() {
    switch self {
    case .network(let transfer): transfer.hold()
    case .stored(let transfer): transfer.hold()
    case .custom(let load): load.hold()
    }
  }

  func holdBeforeStart() {
    switch self {
    case .network(let transfer): transfer.holdBeforeStart()
    case .stored(let transfer): transfer.hold()
    case .custom(let load): load.hold()
    }
  }

  func resumeReceiving() {
    switch self {
    case .network(let transfer): transfer.resumeReceiving()
    case .stored(let transfer): transfer.resumeReceiving()
    case .custom(let load): load.resumeReceiving()
    }
  }
}
#endif
