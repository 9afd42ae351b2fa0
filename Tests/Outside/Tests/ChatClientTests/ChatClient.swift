import Foundation
import Retriever

// A chat client: a receive loop, pings by a timer, and a new connection when one is lost.

protocol ChatClientDelegate: AnyObject {
  func chat(_ client: ChatClient, didReceive text: String)
  func chatDidConnect(_ client: ChatClient)
  func chat(_ client: ChatClient, didDisconnectWith code: URLSessionWebSocketTask.CloseCode, reason: String?)
}

final class ChatClient: NSObject, URLSessionWebSocketDelegate {
  weak var delegate: ChatClientDelegate?
  private let url: URL
  private var session: URLSession!
  private var webSocketTask: URLSessionWebSocketTask?
  private let queue = OperationQueue()
  private(set) var reconnects = 0
  var maximumReconnects = 3
  private var isStopped = false

  init(url: URL) {
    self.url = url
    super.init()
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: .default, delegate: self, delegateQueue: queue)
  }

  func connect() {
    let task = session.webSocketTask(with: url)
    webSocketTask = task
    task.resume()
    listen(task)
  }

  private func listen(_ task: URLSessionWebSocketTask) {
    task.receive { [weak self] result in
      guard let self = self else { return }
      switch result {
      case .failure:
        self.reconnect(after: task)
      case .success(let message):
        switch message {
        case .string(let text): self.delegate?.chat(self, didReceive: text)
        case .data(let data): self.delegate?.chat(self, didReceive: "\(data.count) bytes")
        @unknown default: break
        }
        self.listen(task)
      }
    }
  }

  private func reconnect(after task: URLSessionWebSocketTask) {
    guard !isStopped, task === webSocketTask, reconnects < maximumReconnects else { return }
    reconnects += 1
    connect()
  }

  func send(_ text: String, completion: @escaping (Error?) -> Void = { _ in }) {
    webSocketTask?.send(URLSessionWebSocketTask.Message.string(text)) { error in completion(error) }
  }

  func ping(completion: @escaping (Error?) -> Void) {
    webSocketTask?.sendPing { error in completion(error) }
  }

  func disconnect() {
    isStopped = true
    webSocketTask?.cancel(with: .goingAway, reason: "bye".data(using: .utf8))
  }

  func invalidate() { session.finishTasksAndInvalidate() }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
  ) {
    delegate?.chatDidConnect(self)
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    delegate?.chat(
      self, didDisconnectWith: closeCode, reason: reason.flatMap { String(data: $0, encoding: .utf8) })
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {}
}

/// The same with async calls.
actor ChatRoom {
  private let task: URLSessionWebSocketTask

  init(url: URL, session: URLSession = .shared) {
    task = session.webSocketTask(with: url, protocols: ["chat"])
    task.resume()
  }

  func say(_ text: String) async throws { try await task.send(.string(text)) }

  nonisolated func messages() -> AsyncThrowingStream<String, Error> {
    AsyncThrowingStream { continuation in
      let reading = Task {
        do {
          while true {
            if case .string(let text) = try await task.receive() { continuation.yield(text) }
          }
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in reading.cancel() }
    }
  }

  func leave() { task.cancel(with: .normalClosure, reason: nil) }

  var code: URLSessionWebSocketTask.CloseCode { task.closeCode }
}
