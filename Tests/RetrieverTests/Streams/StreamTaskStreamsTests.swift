#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

/// Stream tasks that become streams, and data tasks that become stream tasks.
@Suite(.timeLimit(.minutes(5))) struct StreamTaskStreamsTests {
  private func captured(
    _ server: ScriptedServer, _ before: (URLSessionStreamTask) async throws -> Void = { _ in }
  ) async throws -> (StreamDelegateLog.CapturedPair, StreamDelegateLog, URLSessionStreamTask) {
    let delegate = StreamDelegateLog()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.stream(to: server)
    try await before(task)
    task.captureStreams()
    #expect(await delegate.captured.wait(within: .seconds(90)))
    session.finishTasksAndInvalidate()
    let pair = try #require(delegate.streams.withLock { $0.take() })
    return (pair, delegate, task)
  }

  @Test func `the streams continue the connection, and the task ends`() async throws {
    let server = try StreamServers.echo()
    let (pair, delegate, task) = try await captured(server) { task in
      try await task.write(Data("a".utf8), timeout: 30)
      #expect(try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 30).0 == Data("a".utf8))
    }
    #expect(await delegate.invalid.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["streams", "invalid"])
    #expect(task.state == .completed && task.error == nil)
    #expect(await errorCode { try await task.write(Data([1]), timeout: 1) } == .cancelled)

    #expect(pair.input.streamStatus == .notOpen && pair.output.streamStatus == .notOpen)
    let body = Data.pattern(count: 1_000_000)
    let result = await runOnThread {
      pair.input.open()
      pair.output.open()
      let writer = Thread { [pair] in
        var rest = [UInt8](body)[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { pair.output.write($0, maxLength: buffer.count) } ?? 0
          }
          guard count > 0 else { return }
          rest = rest.dropFirst(count)
        }
        pair.output.close()
      }
      writer.start()
      return Self.readAll(pair.input)
    }
    #expect(result == body)
    #expect(pair.input.streamStatus == .atEnd)
    #expect(await eventually { server.openConnectionCount == 0 })
  }

  static func readAll(_ input: InputStream) -> Data {
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 10_000)
    while true {
      let count = input.read(&buffer, maxLength: buffer.count)
      if count <= 0 { return all }
      all.append(contentsOf: buffer[..<count])
    }
  }

  @Test func `closing both streams closes the connection, even while a read waits`() async throws {
    let server = try StreamServers.echo()
    let (pair, _, _) = try await captured(server)
    pair.input.open()
    pair.output.open()
    #expect(!pair.input.hasBytesAvailable && pair.output.hasSpaceAvailable)
    pair.input.close()
    pair.output.close()
    #expect(await eventually { server.openConnectionCount == 0 })
    #expect(pair.input.streamStatus == .closed && pair.output.streamStatus == .closed)
  }

  @Test func `streams that nobody keeps close the connection`() async throws {
    let server = try StreamServers.echo()
    do { _ = try await captured(server) }
    #expect(await eventually { server.openConnectionCount == 0 })
  }

  @Test func `a lost connection is an error of the input stream`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      try connection.wait(for: gate)
      connection.reset()
    }
    let (pair, _, _) = try await captured(server)
    pair.input.open()
    gate.open()
    let count = await runOnThread {
      var byte: UInt8 = 0
      return pair.input.read(&byte, maxLength: 1)
    }
    #expect(count == -1)
    #expect(pair.input.streamStatus == .error)
    #expect((pair.input.streamError as? URLError)?.code == .networkConnectionLost)
  }

  // MARK: From a response

  @Test func `a data task becomes a stream task that reads the body`() async throws {
    let body = Data.pattern(count: 2 << 20)
    let server = try ScriptedServer.http { _ in Reply(body: body) }
    let delegate = StreamDelegateLog(.becomeStream)
    let session = URLSession.forTest(delegate: delegate)
    let dataTask = session.dataTask(with: server.url())
    dataTask.resume()
    #expect(await delegate.captured.wait(within: .seconds(90)))
    let task = try #require(delegate.newTask.withLock { $0.take() })
    #expect(task.taskIdentifier == dataTask.taskIdentifier)
    #expect(task.originalRequest?.url == server.url())
    #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(dataTask.state == .completed)
    #expect(await errorCode { try await task.write(Data([1]), timeout: 1) } == .networkConnectionLost)
    #expect(try await task.readToEnd() == body)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["became", "write closed", "read closed", "completed"])
    #expect(delegate.error.withLock { $0 == nil })
    #expect(await session.allTasks.isEmpty)
  }

  @Test func `a read of a body times out, and the next one gets what arrives then`() async throws {
    let resumed = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nab")
      _ = resumed.waitBlocking()
      try connection.send("cdef")
    }
    let delegate = StreamDelegateLog(.becomeStream)
    URLSession.forTest(delegate: delegate).dataTask(with: server.url()).resume()
    #expect(await delegate.captured.wait(within: .seconds(90)))
    let task = try #require(delegate.newTask.withLock { $0.take() })
    #expect(
      await errorCode { _ = try await task.readData(ofMinLength: 3, maxLength: 6, timeout: 0.05) }
        == .timedOut)
    let next = Task { try await task.readData(ofMinLength: 6, maxLength: 6, timeout: 60) }
    resumed.open()
    #expect(try await next.value.0 == Data("abcdef".utf8))
  }

  @Test func `a body that is cut off fails the stream task`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
    }
    let delegate = StreamDelegateLog(.becomeStream)
    URLSession.forTest(delegate: delegate).dataTask(with: server.url()).resume()
    #expect(await delegate.captured.wait(within: .seconds(90)))
    let task = try #require(delegate.newTask.withLock { $0.take() })
    #expect(await errorCode { _ = try await task.readToEnd() } == .networkConnectionLost)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == .networkConnectionLost)
  }

  @Test func `closing the read side of a response ends its load without an error`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
      try connection.wait(for: gate)
    }
    let delegate = StreamDelegateLog(.becomeStream)
    URLSession.forTest(delegate: delegate).dataTask(with: server.url()).resume()
    #expect(await delegate.captured.wait(within: .seconds(90)))
    let task = try #require(delegate.newTask.withLock { $0.take() })
    #expect(try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 30).0 == Data("short".utf8))
    task.closeRead()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.error.withLock { $0 == nil })
  }

  @Test func `a response is received no further than it is read`() async throws {
    let sent = Mutex(0)
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while true {
        try connection.send(Data(count: 65_536))
        sent.withLock { $0 += 65_536 }
      }
    }
    let delegate = StreamDelegateLog(.becomeStream)
    URLSession.forTest(delegate: delegate).dataTask(with: server.url()).resume()
    #expect(await delegate.captured.wait(within: .seconds(90)))
    let task = try #require(delegate.newTask.withLock { $0.take() })
    _ = try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 30)
    var last = -1
    while sent.withLock({ $0 }) != last {
      last = sent.withLock { $0 }
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(task.connection.unreadCount < 1 << 20 && last < 32 << 20)
    task.cancel()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == .cancelled)
  }

  @Test func `the body becomes an input stream`() async throws {
    let body = Data.pattern(count: 500_000)
    let server = try ScriptedServer.http { _ in Reply(body: body) }
    let delegate = StreamDelegateLog(.becomeStream)
    URLSession.forTest(delegate: delegate).dataTask(with: server.url()).resume()
    #expect(await delegate.captured.wait(within: .seconds(90)))
    let task = try #require(delegate.newTask.withLock { $0.take() })
    task.captureStreams()
    #expect(await eventually { delegate.streams.withLock { $0 != nil } })
    let pair = try #require(delegate.streams.withLock { $0.take() })
    pair.input.open()
    #expect(await runOnThread { Self.readAll(pair.input) } == body)
    #expect(!delegate.log.all.contains("completed"))
  }
}
#endif
