#if !canImport(Darwin)
import Foundation
import Synchronization

/// What a session is made of.
///
/// A session gets it from the initializer with which it was created. `URLSession.init()` is the only designated
/// initializer, as on Apple's platforms: otherwise, initializers of subclasses would have to call it explicitly.
final class SessionParts: Sendable {
  let settings: SessionSettings
  let callQueue: DelegateCallQueue
  let client: SessionClient
  let delegateClients: DelegateClients
  /// Whether the session was created with a delegate. Loads without one avoid the lock.
  let wasGivenDelegate: Bool
  let isShared: Bool
  /// The tasks on disk of a background session.
  let background: BackgroundStore?
  let delegate: Mutex<(any URLSessionDelegate)?>

  init(
    _ configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue: OperationQueue? = nil, isShared: Bool = false
  ) {
    settings = SessionSettings(configuration)
    callQueue = DelegateCallQueue(queue: delegateQueue)
    client = SessionClient(settings.clientOptions)
    delegateClients = DelegateClients(settings.clientOptions)
    wasGivenDelegate = delegate != nil
    self.isShared = isShared
    background = settings.backgroundStore
    self.delegate = Mutex(delegate)
  }
}
#endif
