#if !canImport(Darwin)
  import Foundation

  /// Who waits for the end of a task, and in what form.
  enum TaskCompletion: Sendable {
    /// The session's delegate, by its methods.
    case delegate
    case dataHandler(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    case downloadHandler(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    case data(UnsafeContinuation<(Data, URLResponse), any Error>)
    case download(UnsafeContinuation<(URL, URLResponse), any Error>)
    /// `bytes(for:)`: resumed by the head, or by an error before it.
    case head(UnsafeContinuation<URLResponse, any Error>)

    /// Whether a caller awaits it; handlers and delegates are called on the delegate queue, in order, anyway.
    var isAwaited: Bool {
      switch self {
      case .data, .download, .head: true
      case .delegate, .dataHandler, .downloadHandler: false
      }
    }
  }

  /// Where a task's body goes. What stands in a sink is used on the transfer's thread only, until the task completes.
  enum BodySink: Sendable {
    /// Into memory, to be delivered whole.
    case memory
    /// To the delegate, piece by piece.
    case delegate(DelegateBody)
    /// To one reader, as it arrives.
    case channel(BodyChannel)
    case file(DownloadFile)
  }
#endif
