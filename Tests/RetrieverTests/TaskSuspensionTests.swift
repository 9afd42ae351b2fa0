#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct TaskSuspensionTests {
  private let session = URLSession.forTest()

  @Test func aTaskDoesNothingBeforeItIsResumed() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    let task = session.dataTask(with: server.url()) { _, _, _ in }
    #expect(task.state == .suspended)
    task.suspend()
    try await session.expectUsable()
    #expect(server.connectionCount == 0)
    task.cancel()
    #expect(await eventually { task.state == .completed })
  }

  @Test func `a task that is suspended in the queue sends nothing and keeps no place`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.target == "/slow" { try connection.wait(for: gate) }
        try connection.send(Reply(text: request.target))
      }
    }
    let session = URLSession.forTest { $0.httpMaximumConnectionsPerHost = 1 }
    async let slow = session.data(from: server.url("/slow"))
    #expect(await eventually { server.requests.count == 1 })
    var request = URLRequest(url: server.url("/suspended"))
    request.httpMethod = "POST"
    let done = Gate()
    let suspended = session.dataTask(with: request) { data, _, _ in
      if data == Data("/suspended".utf8) { done.open() }
    }
    suspended.resume()
    suspended.suspend()
    gate.open()
    _ = try await slow
    // It had been added after the suspended task.
    _ = try await session.data(from: server.url("/other"))
    #expect(server.requests.map(\.path) == ["/slow", "/other"])
    #expect(suspended.state == .suspended)
    suspended.resume()
    #expect(await done.wait(within: .seconds(90)))
  }

  @Test func `a task that two threads suspend and resume still ends`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    for _ in 0..<100 {
      let done = Gate()
      let task = session.dataTask(with: server.url()) { _, _, _ in done.open() }
      task.resume()
      async let suspending: Void = runOnThread { task.suspend() }
      async let resuming: Void = runOnThread { task.resume() }
      _ = await (suspending, resuming)
      // The resume had no effect if it came first.
      if task.state == .suspended { task.resume() }
      #expect(await done.wait(within: .seconds(90)))
    }
  }

  @Test func `a task that is suspended in the queue can be cancelled`() async throws {
    let gate = Gate()
    let server = try ScriptedServer([.readRequest, .waitFor(gate), .send(Reply(text: "slow")), .hold])
    let session = URLSession.forTest { $0.httpMaximumConnectionsPerHost = 1 }
    async let slow = session.data(from: server.url("/slow"))
    #expect(await eventually { server.requests.count == 1 })
    let done = Gate()
    let suspended = session.dataTask(with: server.url("/suspended")) { _, _, error in
      if (error as? URLError)?.code == .cancelled { done.open() }
    }
    suspended.resume()
    suspended.suspend()
    suspended.cancel()
    #expect(await done.wait(within: .seconds(90)))
    gate.open()
    _ = try await slow
  }

  @Test func `a suspended download stops reading and continues after a resume`() async throws {
    let size = 80 << 20
    let pieces = Log<Int>()
    let resume = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size + 1)\r\n\r\nx")
      try connection.wait(for: resume)
      let piece = Data(count: 1 << 20)
      for number in 0..<80 {
        try connection.send(piece)
        pieces.add(number)
      }
    }
    let done = Gate()
    let task = session.dataTask(with: server.url()) { data, _, _ in
      if data?.count == size + 1 { done.open() }
    }
    task.resume()
    #expect(await eventually { task.countOfBytesReceived > 0 })
    task.suspend()
    #expect(task.state == .suspended)
    resume.open()
    #expect(
      await eventually {
        pieces.all.count == 80 || ConnectionTable.hasStalledSender(port: server.port)
      })
    #expect(pieces.all.count < 40)
    #expect(!done.isOpen)
    task.resume()
    #expect(task.state == .running)
    #expect(await done.wait(within: .seconds(90)))
    #expect(task.state == .completed)
  }

  @Test func aTaskSuspendedBeforeItsHeadArrivesKeepsItsBody() async throws {
    let (reached, gate) = (Gate(), Gate())
    let server = try ScriptedServer([
      .readRequest, .open(reached), .waitFor(gate), .send(Reply(text: "body")), .hold,
    ])
    let done = Gate()
    let task = session.dataTask(with: server.url()) { data, _, _ in
      if data == Data("body".utf8) { done.open() }
    }
    task.resume()
    #expect(await reached.wait(within: .seconds(90)))
    task.suspend()
    gate.open()
    #expect(await eventually { task.response != nil })
    #expect(task.countOfBytesReceived == 0)
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
  }

  @Test func aTaskSuspendedDuringARedirectFollowsItOnceResumed() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/from" ? .redirect(to: "/to") : Reply(text: "there")
    }
    let holder = Log<URLSessionTask>()
    let asked = Gate()
    let delegate = HandlerDelegate(
      .init(redirect: { _, request in
        holder.all.first?.suspend()
        asked.open()
        return request
      }))
    let session = URLSession.forTest(delegate: delegate)
    let task = session.dataTask(with: server.url("/from"))
    holder.add(task)
    task.resume()
    #expect(await asked.wait(within: .seconds(90)))
    try await self.session.expectUsable()
    #expect(server.requests.map(\.path) == ["/from"])
    task.resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.body == Data("there".utf8))
  }

  @Test func `a task that is suspended after the head of its response does not time out`() async throws {
    let proceed = Gate()
    let server = try ScriptedServer { connection in
      guard try connection.nextRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na")
      try connection.wait(for: proceed)
      try connection.send("b")
    }
    let (done, results) = (Gate(), Log<Data?>())
    var request = URLRequest(url: server.url())
    request.timeoutInterval = 1
    let task = session.dataTask(with: request) { data, _, _ in
      results.add(data)
      done.open()
    }
    task.resume()
    #expect(await eventually { task.countOfBytesReceived == 1 })
    task.suspend()
    // After a load with three times the time-out has timed out, the suspended one would have, too.
    let other = try ScriptedServer([.readRequest, .hold])
    let late = URLRequest(url: other.url(), timeoutInterval: 3)
    let code = await errorCode { _ = try await session.data(for: late) }
    #expect(code == .timedOut)
    #expect(task.state == .suspended)
    task.resume()
    proceed.open()
    #expect(await done.wait(within: .seconds(90)))
    #expect(results.all == [Data("ab".utf8)])
  }

  @Test func aSuspendedTaskCanBeCancelled() async throws {
    let server = try ScriptedServer([.readRequest, .send("HTTP/1.1 200 OK\r\n\r\nx"), .hold])
    let done = Gate()
    let task = session.dataTask(with: server.url()) { _, _, error in
      if (error as? URLError)?.code == .cancelled { done.open() }
    }
    task.resume()
    #expect(await eventually { task.countOfBytesReceived == 1 })
    task.suspend()
    task.cancel()
    #expect(await done.wait(within: .seconds(90)))
    try await session.expectUsable()
  }

  @Test(arguments: [false, true])
  func `suspending and resuming at any time loses no bytes`(isUpload: Bool) async throws {
    let body = Data.pattern(count: 2_000_000)
    let server = try ScriptedServer.http { Reply(body: isUpload ? $0.body : body) }
    var request = URLRequest(url: server.url())
    if isUpload { request.httpMethod = "POST" }
    for seed in 0..<10 {
      var random = SeededRandom(UInt64(seed))
      let done = Gate()
      let results = Log<Data?>()
      let finish = { @Sendable (data: Data?, _: URLResponse?, _: (any Error)?) in
        results.add(data)
        done.open()
      }
      let task =
        isUpload
        ? session.uploadTask(with: request, from: body, completionHandler: finish)
        : session.dataTask(with: request, completionHandler: finish)
      task.resume()
      while !done.isOpen {
        task.suspend()
        if Bool.random(using: &random) { await Task.yield() }
        task.resume()
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<300, using: &random)))
      }
      #expect(results.all.count == 1)
      #expect(difference(results.all.first ?? nil, body) == nil)
    }
  }

  @Test func `a suspended upload continues after a resume`() async throws {
    let size = 60 << 20
    let (reached, gate) = (Gate(), Gate())
    let server = try ScriptedServer { connection in
      guard let head = try connection.readHead() else { return }
      reached.open()
      try connection.wait(for: gate)
      try connection.send(Reply(text: "\(try connection.readBody(of: head).count)"))
    }
    let done = Gate()
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let task = session.uploadTask(with: request, from: Data(count: size)) { data, _, _ in
      if data == Data("\(size)".utf8) { done.open() }
    }
    task.resume()
    #expect(await reached.wait(within: .seconds(90)))
    task.suspend()
    gate.open()
    try await session.expectUsable()
    #expect(task.countOfBytesSent < Int64(size))
    #expect(!done.isOpen)
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
  }
}
#endif
