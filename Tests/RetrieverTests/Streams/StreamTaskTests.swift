#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamTaskTests {
  private let session = URLSession.forTest()

  @Test func `bytes travel in both directions, and the task completes after both ends`() async throws {
    let server = try StreamServers.echo()
    let delegate = StreamDelegateLog()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.stream(to: server)
    try await task.write(Data("hello".utf8), timeout: 10)
    let (data, atEnd) = try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 10)
    #expect(data == Data("hello".utf8) && !atEnd)
    task.closeWrite()
    #expect(try await task.readToEnd().isEmpty)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all.sorted() == ["completed", "read closed", "write closed"])
    #expect(delegate.log.all.last == "completed")
    #expect(delegate.error.withLock { $0 == nil })
    #expect(task.state == .completed && task.error == nil)
    #expect(task.originalRequest == nil && task.currentRequest == nil && task.response == nil)
    #expect(await session.allTasks.isEmpty)
  }

  @Test func `operations before the start wait for the connection`() async throws {
    let server = try StreamServers.echo()
    let task = session.streamTask(withHostName: "127.0.0.1", port: Int(server.port))
    async let read = task.readData(ofMinLength: 3, maxLength: 10, timeout: 30)
    async let written: Void = task.write(Data("abc".utf8), timeout: 30)
    #expect(task.state == .suspended && server.connectionCount == 0)
    task.resume()
    try await written
    #expect(try await read.0 == Data("abc".utf8))
    task.cancel()
  }

  @Test func `handlers are called on the delegate queue, reads in order`() async throws {
    let server = try StreamServers.sending(Data("abcdef".utf8), until: nil)
    let queue = OperationQueue()
    let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    let task = session.stream(to: server)
    let parts = Log<String>()
    let done = Gate()
    for _ in 0..<3 {
      task.readData(ofMinLength: 2, maxLength: 2, timeout: 0) { data, atEnd, error in
        #expect(OperationQueue.current === queue && error == nil)
        parts.add(String(decoding: data ?? Data(), as: UTF8.self))
      }
    }
    task.readData(ofMinLength: 1, maxLength: 2, timeout: 0) { data, atEnd, error in
      parts.add("\(data?.count ?? -1) \(atEnd)")
      done.open()
    }
    #expect(await done.wait(within: .seconds(90)))
    #expect(parts.all == ["ab", "cd", "ef", "0 true"])
    task.cancel()
  }

  @Test func `a read returns between its minimum and its maximum`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      try connection.send("12")
      try connection.wait(for: gate)
      try connection.send("34567")
    }
    let task = session.stream(to: server)
    let first = Task { try await task.readData(ofMinLength: 3, maxLength: 5, timeout: 30) }
    #expect(await eventually { task.connection.unreadCount == 2 })
    gate.open()
    let (data, _) = try await first.value
    #expect((3...5).contains(data?.count ?? 0))
    var all = data ?? Data()
    all += try await task.readToEnd(piece: 1)
    #expect(all == Data("1234567".utf8))
    // After the end, reads return no bytes.
    let (rest, atEnd) = try await task.readData(ofMinLength: 1, maxLength: 5, timeout: 30)
    #expect(rest == Data() && atEnd)
    task.cancel()
  }

  @Test func `a read that times out leaves its bytes to the next one`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try StreamServers.sending(Data("ab".utf8), until: gate)
    let task = session.stream(to: server)
    let code = await errorCode {
      _ = try await task.readData(ofMinLength: 10, maxLength: 10, timeout: 0.2)
    }
    #expect(code == .timedOut)
    let (data, _) = try await task.readData(ofMinLength: 2, maxLength: 10, timeout: 30)
    #expect(data == Data("ab".utf8))
    #expect(task.state == .running)
    task.cancel()
  }

  @Test func `a write that times out part of the way closes the write side`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try ScriptedServer { try $0.wait(for: gate) }
    let delegate = StreamDelegateLog()
    let task = URLSession.forTest(delegate: delegate).stream(to: server)
    // With a connection, the kernel takes a part of what is written next.
    try await task.write(Data([1]), timeout: 90)
    let large = Data(count: 64 << 20)
    #expect(await errorCode { try await task.write(large, timeout: 2) } == .timedOut)
    #expect(await errorCode { try await task.write(Data([1]), timeout: 1) } == .timedOut)
    #expect(await eventually { delegate.log.all == ["write closed"] })
    task.cancel()
  }

  @Test func `cancelling a Swift task withdraws its read only`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      try connection.wait(for: gate)
      try connection.send("late")
    }
    let task = session.stream(to: server)
    let read = Task { try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 0) }
    #expect(await eventually { task.connection.wantsInput })
    read.cancel()
    #expect(await errorCode { _ = try await read.value } == .cancelled)
    gate.open()
    #expect(try await task.readToEnd() == Data("late".utf8))
    task.cancel()
  }

  @Test func `a cancelled Swift task does not even begin a read`() async throws {
    let server = try StreamServers.sending(Data("kept".utf8))
    let task = session.stream(to: server)
    let read = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 0)
    }
    // It may complete if the bytes had already arrived, but it never waits.
    _ = try? await read.value
    task.cancel()
  }

  @Test func `cancelling the task fails what waits`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try ScriptedServer { try $0.wait(for: gate) }
    let delegate = StreamDelegateLog()
    let task = URLSession.forTest(delegate: delegate).stream(to: server)
    let read = Task { try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 0) }
    #expect(await eventually { task.connection.wantsInput })
    task.cancel()
    #expect(await errorCode { _ = try await read.value } == .cancelled)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == .cancelled)
    #expect(await errorCode { try await task.write(Data([1]), timeout: 1) } == .cancelled)
    #expect(await eventually { server.openConnectionCount == 0 || !gate.isOpen })
  }

  @Test func `a reset connection fails reads and the task`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.read(exactly: 1)
      connection.reset()
    }
    let delegate = StreamDelegateLog()
    let task = URLSession.forTest(delegate: delegate).stream(to: server)
    try await task.write(Data([1]), timeout: 10)
    #expect(await errorCode { _ = try await task.readToEnd() } == .networkConnectionLost)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == .networkConnectionLost)
  }

  @Test func `a refused connection fails everything that waits`() async throws {
    let port = try ClosedPort()
    let task = session.streamTask(withHostName: "127.0.0.1", port: Int(port.number))
    async let code = errorCode { try await task.write(Data([1]), timeout: 0) }
    task.resume()
    #expect(await code == .cannotConnectToHost)
    #expect(await eventually { task.state == .completed })
  }

  @Test(arguments: [
    ("", 80), ("a/b", 80), ("user@host", 80), ("host", 0), ("host", 70_000), ("a b", 80), ("::1%lo", 80),
  ])
  func `an invalid host or port is an error`(_ place: (String, Int)) async throws {
    let task = session.streamTask(withHostName: place.0, port: place.1)
    task.resume()
    #expect(await errorCode { try await task.write(Data([1]), timeout: 10) } == .badURL)
  }

  @Test func `closing the read side fails later reads, and writing goes on`() async throws {
    let received = Log<[UInt8]>()
    let ended = Gate()
    let server = try ScriptedServer { connection in
      while true {
        let bytes = try connection.read()
        if bytes.isEmpty { return ended.open() }
        received.add(bytes)
      }
    }
    let delegate = StreamDelegateLog()
    let task = URLSession.forTest(delegate: delegate).stream(to: server)
    task.closeRead()
    #expect(
      await errorCode { _ = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 10) }
        == .networkConnectionLost)
    try await task.write(Data("on".utf8), timeout: 10)
    task.closeWrite()
    #expect(await ended.wait(within: .seconds(90)))
    #expect(received.all.flatMap { $0 } == Array("on".utf8))
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["read closed", "write closed", "completed"])
    #expect(delegate.error.withLock { $0 == nil })
  }

  @Test func `the delegate learns of the server's end while nothing is being read`() async throws {
    let server = try StreamServers.sending(Data("bye".utf8))
    let delegate = StreamDelegateLog()
    let task = URLSession.forTest(delegate: delegate).stream(to: server)
    #expect(await eventually { delegate.log.all == ["read closed"] })
    #expect(try await task.readToEnd() == Data("bye".utf8))
    task.closeWrite()
    #expect(await delegate.completed.wait(within: .seconds(90)))
  }

  @Test func `a session waits for its stream tasks before it becomes invalid`() async throws {
    let server = try StreamServers.echo()
    let delegate = StreamDelegateLog()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.stream(to: server)
    try await task.write(Data("x".utf8), timeout: 10)
    session.finishTasksAndInvalidate()
    #expect(!delegate.invalid.isOpen)
    task.closeWrite()
    #expect(try await task.readToEnd() == Data("x".utf8))
    #expect(await delegate.invalid.wait(within: .seconds(90)))
    #expect(delegate.log.all.suffix(2) == ["completed", "invalid"])
  }

  @Test func `a suspended task neither receives nor sends`() async throws {
    let server = try StreamServers.echo()
    let task = session.stream(to: server)
    try await task.write(Data("a".utf8), timeout: 10)
    _ = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 10)
    task.suspend()
    #expect(
      await errorCode { _ = try await task.write(Data("b".utf8), timeout: 0.2) } == .timedOut)
    task.resume()
    try await task.write(Data("c".utf8), timeout: 10)
    #expect(try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 10).0 == Data("c".utf8))
    task.cancel()
  }

  @Test func `10 MB travel in both directions at the same time, to a slow reader`() async throws {
    let server = try StreamServers.echo()
    let task = session.stream(to: server)
    let body = Data.pattern(count: 10_000_000)
    let writer = Task {
      try await task.write(body, timeout: 240)
      task.closeWrite()
    }
    var all = Data()
    while true {
      // The reader lets the other tasks run between reads, so that the buffers of both sides fill up. Each turn can take
      // a long time, so there are about a hundred of them.
      let (data, atEnd) = try await task.readData(ofMinLength: 1, maxLength: 100_000, timeout: 240)
      all += data ?? Data()
      await Task.yield()
      if atEnd { break }
    }
    try await writer.value
    #expect(all == body)
  }

  @Test func `nothing is received while nothing is being read`() async throws {
    let sent = Mutex(0)
    let server = try ScriptedServer { connection in
      let piece = Data(count: 65_536)
      while true {
        try connection.send(piece)
        sent.withLock { $0 += 65_536 }
      }
    }
    let task = session.stream(to: server)
    _ = try await task.readData(ofMinLength: 1, maxLength: 10, timeout: 30)
    // The kernel's buffers fill up, and then the server has to wait.
    var last = -1
    while sent.withLock({ $0 }) != last {
      last = sent.withLock { $0 }
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(task.connection.unreadCount == 0)
    #expect(last < 32 << 20)
    task.cancel()
  }

  @Test func `the address policy applies to stream tasks`() async throws {
    let server = try StreamServers.echo()
    let session = URLSession.forTest { $0.addressPolicy = .publicOnly }
    let task = session.stream(to: server)
    #expect(await errorCode { try await task.write(Data([1]), timeout: 10) } == .dataNotAllowed)
  }

  @Test func `a stream task reaches localhost over IPv6 or IPv4`() async throws {
    let server = try StreamServers.echo()
    let task = session.streamTask(withHostName: "localhost", port: Int(server.port))
    task.resume()
    try await task.write(Data("x".utf8), timeout: 10)
    #expect(try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 10).0 == Data("x".utf8))
    task.cancel()
    let six = try StreamServers.echo(on: .ipv6)
    let direct = session.streamTask(withHostName: "::1", port: Int(six.port))
    direct.resume()
    try await direct.write(Data("y".utf8), timeout: 10)
    #expect(try await direct.readData(ofMinLength: 1, maxLength: 1, timeout: 10).0 == Data("y".utf8))
    direct.cancel()
  }

  @Test func `an abandoned task leaves nothing behind`() async throws {
    let server = try StreamServers.echo()
    let reference: WeakReference<URLSessionStreamTask>
    do {
      let task = session.stream(to: server)
      try await task.write(Data("x".utf8), timeout: 10)
      task.cancel()
      reference = WeakReference(task)
    }
    #expect(await eventually { reference.object == nil && server.openConnectionCount == 0 })
  }
}
#endif
