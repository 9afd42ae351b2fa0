#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct TaskProgressTests {
  private let session = URLSession.forTest()

  @Test func `a reported count is not reported again`() {
    var reported = TaskCounts.ReportedCount()
    let isFirst = reported.needsReport()
    let isSecond = reported.needsReport()
    #expect(isFirst && !isSecond)
    let first = reported.report(upTo: 10)
    // More bytes were counted during the call, which already reported them.
    let isThird = reported.needsReport()
    let nothing = reported.report(upTo: 10)
    let rest = reported.report(upTo: 15)
    #expect(isThird && first == 10 && nothing == nil && rest == 5)
  }

  @Test func progressRisesAndEndsAtTheTotal() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
      for _ in 0..<50 { try connection.send(Data(count: 1000)) }
      try connection.wait(for: gate)
      for _ in 0..<50 { try connection.send(Data(count: 1000)) }
    }
    let done = Gate()
    let task = session.dataTask(with: server.url()) { _, _, _ in done.open() }
    let progress = task.progress
    #expect(progress === task.progress)
    #expect(progress.completedUnitCount == 0)
    task.resume()
    #expect(await eventually { progress.completedUnitCount == 50_000 })
    #expect(progress.totalUnitCount == 100_000)
    #expect(progress.fractionCompleted == 0.5)
    gate.open()
    var last: Int64 = 50_000
    while !done.isOpen {
      let now = progress.completedUnitCount
      #expect(now >= last)
      last = now
      await Task.yield()
    }
    #expect(progress.completedUnitCount == 100_000)
    #expect(progress.totalUnitCount == 100_000)
    #expect(progress.isFinished)
    #expect(task.countOfBytesReceived == 100_000)
    #expect(task.countOfBytesExpectedToReceive == 100_000)
  }

  @Test func `the progress of an upload counts sent and received bytes`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "12345") }
    let done = Gate()
    let task = session.uploadTask(with: URLRequest(url: server.url()), from: Data(count: 200_000)) {
      _, _, _ in done.open()
    }
    let progress = task.progress
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(progress.completedUnitCount == 200_005)
    #expect(progress.totalUnitCount == 200_005)
  }

  @Test func `an unknown length is known at the end`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "chunks", framing: .chunked(1)) }
    let done = Gate()
    let task = session.dataTask(with: server.url()) { _, _, _ in done.open() }
    let progress = task.progress
    #expect(progress.isIndeterminate)
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
    #expect(progress.completedUnitCount == 6)
    #expect(progress.totalUnitCount == 6)
    #expect(progress.isFinished)
  }

  @Test func aFailureDoesNotEndAtTheTotal() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
    ])
    let done = Gate()
    let task = session.dataTask(with: server.url()) { _, _, _ in done.open() }
    let progress = task.progress
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(progress.completedUnitCount == 3)
    #expect(progress.totalUnitCount == 9)
    #expect(!progress.isFinished)
  }

  @Test func cancellingTheProgressCancelsTheTask() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    let done = Gate()
    let task = session.dataTask(with: server.url()) { _, _, error in
      if (error as? URLError)?.code == .cancelled { done.open() }
    }
    task.resume()
    task.progress.cancel()
    #expect(await done.wait(within: .seconds(90)))
  }

  @Test func `progress that is requested after the end is complete`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "12345") }
    let done = Gate()
    let task = session.dataTask(with: server.url()) { _, _, _ in done.open() }
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(task.progress.completedUnitCount == 5)
    #expect(task.progress.totalUnitCount == 5)
  }
}
#endif
