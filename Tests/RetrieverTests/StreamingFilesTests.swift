#if !canImport(Darwin)

import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamingFilesTests {
  private func withFile(_ contents: Data, _ body: (URL) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "streaming-\(UUID().uuidString)")
    try contents.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url)
  }

  @Test func `a file URL returns its bytes and lines`() async throws {
    let text = (0..<50_000).map { "line \($0)" }.joined(separator: "\n")
    try await withFile(Data(text.utf8)) { (url: URL) async throws in
      let lines = try await url.lines.collected()
      #expect(difference(Array(lines.joined(separator: "\n").utf8), Array(text.utf8)) == nil)
      #expect(try await difference(url.resourceBytes.collected(), Array(text.utf8)) == nil)
      #expect(try await url.resourceBytes.chunks.collected().reduce(0) { $0 + $1.count } == text.utf8.count)
      // Each iteration starts from the beginning.
      let bytes = url.resourceBytes
      #expect(try await bytes.lines.collected().count == 50_000)
      #expect(try await bytes.lines.collected().count == 50_000)
    }
  }

  @Test func anEmptyFileHasNoLines() async throws {
    try await withFile(Data()) { (url: URL) async throws in
      #expect(try await url.lines.collected().isEmpty)
    }
  }

  @Test func aMissingFileIsAnErrorThatNamesIt() async throws {
    let error = await #expect(throws: CocoaError.self) {
      try await URL(fileURLWithPath: "/nowhere/at/all").lines.collected()
    }
    #expect(error?.code == .fileReadNoSuchFile)
    #expect(error?.userInfo[NSFilePathErrorKey] as? String == "/nowhere/at/all")
  }

  @Test func aDirectoryIsAnError() async throws {
    await #expect(throws: CocoaError.self) {
      try await FileManager.default.temporaryDirectory.resourceBytes.collected()
    }
  }

  @Test func aFileHandleIsReadFromItsPosition() async throws {
    try await withFile(Data("0123456789".utf8)) { (url: URL) async throws in
      let handle = try FileHandle(forReadingFrom: url)
      try handle.seek(toOffset: 4)
      #expect(try await handle.bytes.collected() == Array("456789".utf8))
      try handle.close()
    }
  }

  @Test func `leaving the loop stops reading a large file`() async throws {
    try await withFile(Data(count: 20_000_000)) { (url: URL) async throws in
      let handle = try FileHandle(forReadingFrom: url)
      for try await _ in handle.bytes { break }
      #expect(try handle.offset() < 10_000_000)
      try handle.close()
    }
  }

  @Test func linesOfAPipeComeAsTheyAreWritten() async throws {
    let pipe = Pipe()
    var iterator = pipe.fileHandleForReading.bytes.lines.makeAsyncIterator()
    for line in ["one", "two", "three"] {
      try pipe.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
      #expect(try await iterator.next() == line)
    }
    try pipe.fileHandleForWriting.close()
    #expect(try await iterator.next() == nil)
  }

  @Test func `a pipe that is faster than its reader loses no bytes`() async throws {
    let pipe = Pipe()
    let writer = pipe.fileHandleForWriting
    let total = 8_000_000
    Thread.detachNewThread {
      try? writer.write(contentsOf: Data(count: total))
      try? writer.close()
    }
    let chunks = try await pipe.fileHandleForReading.bytes.chunks.collected()
    #expect(chunks.reduce(0) { $0 + $1.count } == total)
  }

  @Test func `cancelling the reader closes a named pipe without a writer`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let task = Task { try await URL(fileURLWithPath: path).lines.collected() }
    // Opening the file must not wait for a writer: the wait would block a thread and could not be cancelled.
    #expect(await eventually { ResourceSnapshot.take().descriptors.values.contains(path) })
    task.cancel()
    await #expect(throws: URLError(.cancelled)) { try await task.value }
    #expect(await eventually { !ResourceSnapshot.take().descriptors.values.contains(path) })
  }

  @Test func linesOfANamedPipeComeAsTheyAreWritten() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    var iterator = URL(fileURLWithPath: path).lines.makeAsyncIterator()
    let writing = Task.detached {
      #expect(await eventually { ResourceSnapshot.take().descriptors.values.contains(path) })
      let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try writer.write(contentsOf: Data("one\ntwo\n".utf8))
      try writer.close()
    }
    for line in ["one", "two", nil] { #expect(try await iterator.next() == line) }
    try await writing.value
  }

  @Test func aTaskThatWaitsForAPipeCanBeCancelled() async throws {
    let pipe = Pipe()
    let handle = pipe.fileHandleForReading
    let task = Task { try await handle.bytes.collected().count }
    await Task.yield()
    task.cancel()
    await #expect(throws: URLError(.cancelled)) { try await task.value }
    withExtendedLifetime(pipe) {}
  }
}

#endif
