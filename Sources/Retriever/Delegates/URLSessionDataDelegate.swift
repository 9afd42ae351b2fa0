#if !canImport(Darwin)
  import Foundation

  /// Receives the response and body of data and upload tasks that were made without a completion handler.
  public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// The head of the response has arrived; the body waits until the handler is called.
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

    /// The head of the response has arrived; the body waits until this returns.
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition

    /// A piece of the body has arrived. While a delegate lags behind, receiving pauses.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
  }

  extension URLSessionDataDelegate {
    /// Passes the question to the async form.
    public func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      DelegateProbe.passedOn(.didReceiveResponse, by: self)
      Task {
        completionHandler(await urlSession(session, dataTask: dataTask, didReceive: response))
      }
    }

    /// Lets the body come.
    public func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
      DelegateProbe.reachedDefault(.didReceiveResponse, of: self)
      return .allow
    }

    /// Does nothing.
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      DelegateProbe.reachedDefault(.didReceiveData, of: self)
    }
  }

  extension URLSession {
    /// What to do with a response whose head has arrived.
    public enum ResponseDisposition: Int, Sendable {
      /// End the task with `URLError.cancelled`.
      case cancel = 0
      /// Go on and receive the body.
      case allow = 1
    }
  }
#endif
