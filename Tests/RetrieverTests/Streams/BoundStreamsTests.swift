#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct BoundStreamsTests {
  /// `@unchecked Sendable`: each stream is used by one thread at a time.
  private struct Pair: @unchecked Sendable {
    let input: InputStream
    let output: OutputStream

    init(_ size: Int) throws {
      var input: InputStream?
      var output: OutputStream?
      Stream.getBoundStreams(withBufferSize: size, inputStream: &input, outputStream: &output)
      self.input = try #require(input)
      self.output = try #require(output)
    }

    func open() {
      input.open()
      output.open()
    }

    /// Writes all bytes, and waits whenever the buffer is full.
    func write(_ data: Data) {
      var rest = [UInt8](data)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBufferPointer { buffer in
          buffer.baseAddress.map { output.write($0, maxLength: buffer.count) } ?? 0
        }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  @Test(arguments: [1, 7, 4096]) func `what is written can be read, in any sizes`(_ size: Int) async throws {
    let pair = try Pair(size)
    pair.open()
    let body = Data.pattern(count: 20_000)
    let writer = Thread {
      pair.write(body)
      pair.output.close()
    }
    writer.start()
    #expect(await runOnThread { StreamTaskStreamsTests.readAll(pair.input) } == body)
    #expect(pair.input.streamStatus == .atEnd && pair.output.streamStatus == .closed)
  }

  @Test func `a read that waits ends when its stream is closed`() async throws {
    let pipe = StreamPipe(capacity: 10)
    let started = Gate()
    let count = Task {
      await runOnThread {
        started.open()
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { pipe.read(into: $0, waits: true) }
      }
    }
    #expect(await started.wait(within: .seconds(90)))
    pipe.closeReading()
    #expect(await count.value == -1)
  }

  @Test func `events move with the stream to another run loop, and none follow its end`() async throws {
    let pair = try Pair(10)
    let events = await runOnThread { () -> [Stream.Event] in
      let listener = Listener()
      pair.output.delegate = listener
      pair.output.schedule(in: .current, forMode: .default)
      pair.output.open()
      pair.output.remove(from: .current, forMode: .default)
      let other = RunLoop.Mode("other")
      pair.output.schedule(in: .current, forMode: other)
      let limit = Date(timeIntervalSinceNow: 30)
      let keeper = Timer(timeInterval: 30, repeats: false) { _ in }
      RunLoop.current.add(keeper, forMode: other)
      while listener.events.isEmpty, Date() < limit { _ = RunLoop.current.run(mode: other, before: limit) }
      keeper.invalidate()
      return listener.events
    }
    #expect(events == [.openCompleted])
  }

  /// Closes its stream at the first event.
  private final class Listener: NSObject, StreamDelegate {
    var events: [Stream.Event] = []

    func stream(_ stream: Stream, handle event: Stream.Event) {
      events.append(event)
      stream.close()
    }
  }

  @Test func `a write that waits ends when its stream is closed`() async throws {
    let pipe = StreamPipe(capacity: 1)
    #expect([1].withUnsafeBytes { pipe.write(UnsafeRawBufferPointer(rebasing: $0[..<1]), waits: false) } == 1)
    let started = Gate()
    let count = Task {
      await runOnThread {
        started.open()
        return [1].withUnsafeBytes { pipe.write($0, waits: true) }
      }
    }
    #expect(await started.wait(within: .seconds(90)))
    pipe.closeWriting()
    #expect(await count.value == -1)
  }

  @Test func `streams that are not open read and write nothing`() throws {
    let pair = try Pair(10)
    var byte: UInt8 = 1
    #expect(pair.input.read(&byte, maxLength: 1) == -1)
    #expect(pair.output.write(&byte, maxLength: 1) == -1)
    #expect(!pair.input.hasBytesAvailable && !pair.output.hasSpaceAvailable)
  }

  @Test func `the buffer is bounded`() throws {
    let pair = try Pair(4)
    pair.open()
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6]
    #expect(pair.output.write(bytes, maxLength: 6) == 4)
    #expect(!pair.output.hasSpaceAvailable && pair.input.hasBytesAvailable)
    var buffer = [UInt8](repeating: 0, count: 6)
    #expect(pair.input.read(&buffer, maxLength: 6) == 4)
    #expect(buffer.prefix(4) == [1, 2, 3, 4])
    #expect(pair.output.hasSpaceAvailable && !pair.input.hasBytesAvailable)
  }

  @Test func `writing fails when the input stream is closed, even while it waits`() async throws {
    let pair = try Pair(1)
    pair.open()
    var byte: UInt8 = 1
    #expect(pair.output.write(&byte, maxLength: 1) == 1)
    let started = Gate()
    let result = Mutex<Int?>(nil)
    let writer = Thread {
      var byte: UInt8 = 2
      started.open()
      let count = pair.output.write(&byte, maxLength: 1)
      result.withLock { $0 = count }
    }
    writer.start()
    #expect(await started.wait(within: .seconds(90)))
    pair.input.close()
    #expect(await eventually { result.withLock { $0 } == -1 })
    #expect(pair.output.streamStatus == .error && pair.output.streamError != nil)
  }

  @Test func `releasing the output stream ends the input stream`() throws {
    var input: InputStream?
    do {
      var output: OutputStream?
      Stream.getBoundStreams(withBufferSize: 10, inputStream: &input, outputStream: &output)
    }
    input?.open()
    var byte: UInt8 = 0
    #expect(input?.read(&byte, maxLength: 1) == 0)
  }

  @Test func `a bound input stream is a request's body`() async throws {
    let server = try ScriptedServer.http { Reply(body: Data($0.body)) }
    let pair = try Pair(1000)
    pair.output.open()
    let body = Data.pattern(count: 100_000)
    let writer = Thread {
      pair.write(body)
      pair.output.close()
    }
    writer.start()
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBodyStream = pair.input
    let (data, _) = try await URLSession.forTest().data(for: request)
    #expect(data == body)
  }

  // MARK: Run loops

  /// Moves bytes with a run loop and a delegate, as programs without threads do.
  private final class Mover: NSObject, StreamDelegate {
    var rest: ArraySlice<UInt8>
    var received: [UInt8] = []
    var events: [Stream.Event] = []
    var isAtEnd = false

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
      events.append(eventCode)
      if let input = aStream as? InputStream, eventCode == .hasBytesAvailable {
        var buffer = [UInt8](repeating: 0, count: 500)
        let count = input.read(&buffer, maxLength: buffer.count)
        if count > 0 { received += buffer[..<count] }
      } else if let output = aStream as? OutputStream, eventCode == .hasSpaceAvailable {
        if rest.isEmpty { return output.close() }
        let count = rest.withUnsafeBufferPointer { buffer in
          buffer.baseAddress.map { output.write($0, maxLength: buffer.count) } ?? 0
        }
        if count > 0 { rest = rest.dropFirst(count) }
      } else if eventCode == .endEncountered {
        isAtEnd = true
      }
    }
  }

  @Test func `delegates are called on a run loop`() async throws {
    let pair = try Pair(1000)
    let body = Data.pattern(count: 20_000)
    let (received, counts) = await runOnThread { () -> (Data, [Int]) in
      let mover = Mover([UInt8](body))
      for stream in [pair.input, pair.output] as [Stream] {
        stream.delegate = mover
        stream.schedule(in: .current, forMode: .default)
        stream.open()
      }
      let limit = Date(timeIntervalSinceNow: 30)
      while !mover.isAtEnd, Date() < limit {
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
      }
      pair.input.remove(from: .current, forMode: .default)
      pair.output.remove(from: .current, forMode: .default)
      return (
        Data(mover.received),
        [
          mover.events.count { $0 == .openCompleted }, mover.events.count { $0 == .endEncountered },
          mover.events.count { $0 == .errorOccurred },
        ]
      )
    }
    #expect(received == body)
    #expect(counts == [2, 1, 0])
  }

  @Test func `a write on another thread wakes the run loop of the reader`() async throws {
    let pair = try Pair(1000)
    let isWaiting = Gate()
    let writer = Thread {
      _ = isWaiting.waitBlocking()
      pair.output.open()
      pair.write(Data("hello".utf8))
      pair.output.close()
    }
    writer.start()
    let received = await runOnThread { () -> [UInt8] in
      let mover = Mover([])
      pair.input.delegate = mover
      pair.input.schedule(in: .current, forMode: .default)
      pair.input.open()
      RunLoop.current.perform { isWaiting.open() }
      let limit = Date(timeIntervalSinceNow: 30)
      // Without a timer, a run loop with nothing to wait for would return immediately.
      let keeper = Timer(timeInterval: 30, repeats: false) { _ in }
      RunLoop.current.add(keeper, forMode: .default)
      while !mover.isAtEnd, Date() < limit { _ = RunLoop.current.run(mode: .default, before: limit) }
      keeper.invalidate()
      return Date() < limit ? mover.received : []
    }
    #expect(received == Array("hello".utf8))
  }
}
#endif
