#if !canImport(Darwin)
import TransferEngine

/// What a task receives its response from.
enum TaskTransfer: Sendable {
  case network(Transfer)
  case stored(StoredTransfer)

  func start() {
    switch self {
    case .network(let transfer): transfer.start()
    case .stored(let transfer): transfer.start()
    }
  }

  func cancel() {
    switch self {
    case .network(let transfer): transfer.cancel()
    case .stored(let transfer): transfer.cancel()
    }
  }

  func hold() {
    switch self {
    case .network(let transfer): transfer.hold()
    case .stored(let transfer): transfer.hold()
    }
  }

  func holdBeforeStart() {
    switch self {
    case .network(let transfer): transfer.holdBeforeStart()
    case .stored(let transfer): transfer.hold()
    }
  }

  func resumeReceiving() {
    switch self {
    case .network(let transfer): transfer.resumeReceiving()
    case .stored(let transfer): transfer.resumeReceiving()
    }
  }
}
#endif
