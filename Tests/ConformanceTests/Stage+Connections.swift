import Foundation
import TestSupport

extension Stage {
  private func connect(
    _ session: URLSession, protocols: [String] = []
  ) -> URLSessionWebSocketTask {
    let address = URL(string: origin.replacingOccurrences(of: "http", with: "ws") + "/") ?? url()
    let task = session.webSocketTask(with: address, protocols: protocols)
    task.resume()
    return task
  }

  private func describe(_ message: URLSessionWebSocketTask.Message) -> String {
    switch message {
    case .string(let text): "text \(text)"
    case .data(let data): "bytes \(data.count)"
    @unknown default: "unknown"
    }
  }

  func webSocketText() async throws -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let task = connect(session)
    try await task.send(.string("hello"))
    return [describe(try await task.receive())]
  }

  func webSocketBytes() async throws -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let task = connect(session)
    try await task.send(.data(Data(repeating: 7, count: 70_000)))
    return [describe(try await task.receive())]
  }

  func webSocketPing() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let task = connect(session)
    let (ended, notes) = (Gate(), notes)
    task.sendPing { error in
      notes.add(error == nil ? "pong" : "error")
      ended.open()
    }
    // Pongs arrive while a message is awaited.
    task.receive { _ in }
    await ended.wait()
    return notes.lines
  }

  func webSocketClosedByServer() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let task = connect(session)
    do {
      while true { notes.add(describe(try await task.receive())) }
    } catch {
      notes.add("error")
    }
    let reason = task.closeReason.map { String(decoding: $0, as: UTF8.self) } ?? "none"
    return notes.lines + ["closed \(task.closeCode.rawValue) \(reason)"]
  }

  func webSocketClosedByClient() async -> [String] {
    let delegate = ConnectionDelegate(notes, isNotingOpening: false)
    let session = session(delegate)
    defer { session.invalidateAndCancel() }
    let task = connect(session)
    await delegate.opened.wait()
    task.cancel(with: .goingAway, reason: Data("bye".utf8))
    await delegate.ended.wait()
    // With or without an error.
    return notes.lines.map { $0.hasPrefix("complete") ? "complete" : $0 } + [
      "closed \(task.closeCode.rawValue)"
    ]
  }

  func webSocketSubprotocol() async -> [String] {
    let delegate = ConnectionDelegate(notes, isNotingOpening: true)
    let session = session(delegate)
    defer { session.invalidateAndCancel() }
    _ = connect(session, protocols: ["photos", "kennel"])
    await delegate.opened.wait()
    // The server then ends the connection.
    return Array(notes.lines.prefix(1))
  }

  func webSocketRefused() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    do {
      return [describe(try await connect(session).receive())]
    } catch {
      return ["error \((error as? URLError)?.errorCode ?? 0)"]
    }
  }

  func webSocketTooLong() async -> [String] {
    let session = session()
    defer { session.invalidateAndCancel() }
    let task = connect(session)
    task.maximumMessageSize = 1000
    do {
      return [describe(try await task.receive())]
    } catch {
      return ["error"]
    }
  }
}

/// Notes the beginning of a connection.
private final class ConnectionDelegate: NSObject, NotingDelegate, URLSessionWebSocketDelegate {
  let notes: Notes
  let ended = Gate()
  let opened = Gate()
  private let isNotingOpening: Bool

  init(_ notes: Notes, isNotingOpening: Bool) {
    self.notes = notes
    self.isNotingOpening = isNotingOpening
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
  ) {
    if isNotingOpening { notes.add("opened \(`protocol` ?? "none")") }
    opened.open()
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {}
}
