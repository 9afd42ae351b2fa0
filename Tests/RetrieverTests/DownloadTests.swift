#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct DownloadTests {
  private let body = Data.pattern(count: 700_000)

  private func server() throws -> ScriptedServer {
    let body = body
    return try ScriptedServer.http { _ in Reply(body: body) }
  }

  private func mode(of file: URL) -> mode_t? {
    var status = stat()
    return stat(file.path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

  @Test func `the async method leaves its file to the caller`() async throws {
    let server = try server()
    let (file, _) = try await URLSession.forTest().download(from: server.url())
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try difference(Data(contentsOf: file), body) == nil)
    #expect(mode(of: file) == 0o600)
    let temporary = FileManager.default.temporaryDirectory.standardizedFileURL.path
    #expect(file.standardizedFileURL.deletingLastPathComponent().path == temporary)
  }

  @Test func theHandlersFileIsRemovedAfterwards() async throws {
    let server = try server()
    let session = URLSession.forTest()
    let seen = Log<(URL, Data?, mode_t?)>()
    let done = Gate()
    session.downloadTask(with: server.url()) { file, _, _ in
      if let file { seen.add((file, try? Data(contentsOf: file), mode(of: file))) }
      done.open()
    }.resume()
    #expect(await done.wait(within: .seconds(90)))
    let (file, contents, permissions) = try #require(seen.all.first)
    #expect(difference(contents, body) == nil)
    #expect(permissions == 0o600)
    #expect(await eventually { !exists(file) })
  }

  @Test func aFileThatTheHandlerMovesStays() async throws {
    let server = try server()
    let directory = try TemporaryDirectory()
    let target = directory.file("kept")
    let done = Gate()
    let session = URLSession.forTest()
    session.downloadTask(with: server.url()) { file, _, _ in
      if let file { try? FileManager.default.moveItem(at: file, to: target) }
      done.open()
    }.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(await eventually { await session.allTasks.isEmpty })
    #expect(try difference(Data(contentsOf: target), body) == nil)
  }

  @Test func theDelegatesFileIsRemovedAfterwardsUnlessItWasMoved() async throws {
    let server = try server()
    let directory = try TemporaryDirectory()
    for moves in [false, true] {
      let files = Log<URL>()
      let target = directory.file("kept")
      let delegate = HandlerDelegate(
        .init(file: { file in
          files.add(file)
          if moves { try? FileManager.default.moveItem(at: file, to: target) }
        }))
      let session = URLSession.forTest(delegate: delegate)
      session.downloadTask(with: server.url()).resume()
      #expect(await delegate.log.completed.wait(within: .seconds(90)))
      let file = try #require(files.all.first)
      #expect(await eventually { !exists(file) })
      #expect(exists(target) == moves)
      if moves { #expect(try difference(Data(contentsOf: target), body) == nil) }
      let written = delegate.log.current.written
      #expect(written.map(\.0).reduce(0, +) == 700_000)
      #expect(written.map(\.1) == written.map(\.1).sorted())
      #expect(written.last?.1 == 700_000)
      #expect(written.allSatisfy { $0.2 == 700_000 })
    }
  }

  @Test func `a length that was not announced is reported as unknown`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "chunks", framing: .chunked(2)) }
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.downloadTask(with: server.url()).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.written.last?.1 == 6)
    #expect(delegate.log.current.written.allSatisfy { $0.2 == NSURLSessionTransferSizeUnknown })
  }

  @Test func anEmptyBodyIsAnEmptyFile() async throws {
    let server = try ScriptedServer.http { _ in Reply(204, framing: .none) }
    let (file, response) = try await URLSession.forTest().download(from: server.url())
    defer { try? FileManager.default.removeItem(at: file) }
    #expect((response as? HTTPURLResponse)?.statusCode == 204)
    #expect(try Data(contentsOf: file).isEmpty)
  }

  @Test func `an error status does not fail a download`() async throws {
    let server = try ScriptedServer.http { _ in Reply(404, text: "not here") }
    let (file, response) = try await URLSession.forTest().download(from: server.url())
    defer { try? FileManager.default.removeItem(at: file) }
    #expect((response as? HTTPURLResponse)?.statusCode == 404)
    #expect(try Data(contentsOf: file) == Data("not here".utf8))
  }

  @Test func aCompressedFileIsDecoded() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(headers: [("Content-Encoding", "gzip")], body: CompressedFixture.gzip)
    }
    let (file, _) = try await URLSession.forTest().download(from: server.url())
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try Data(contentsOf: file) == Data(CompressedFixture.text.utf8))
  }

  @Test func `a large file is downloaded completely`() async throws {
    var options = NginxServer.Options()
    options.bigFileSize = 200 << 20
    let nginx = try NginxServer(options)
    let (file, _) = try await URLSession.forTest().download(from: nginx.url("/big"))
    defer { try? FileManager.default.removeItem(at: file) }
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
    #expect(size?.intValue == 200 << 20)
  }

  @Test func `waiting tasks use neither a file nor a descriptor`() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      setenv("TMPDIR", directory.url.path, 1)
      let server = try ScriptedServer.http { _ in Reply(text: "x") }
      let session = URLSession.forTest()
      let before = ResourceSnapshot.take()
      let tasks = (0..<100).map { _ in session.downloadTask(with: server.url()) { _, _, _ in } }
      let waiting = ResourceSnapshot.take().since(before)
      #expect(waiting.descriptors == 0)
      #expect(waiting.newTemporaryFiles.isEmpty)
      for task in tasks { task.resume() }
      #expect(await eventually { await session.allTasks.isEmpty })
      session.finishTasksAndInvalidate()
      // The tasks are still alive, but their files and descriptors are not.
      withExtendedLifetime(tasks) {
        let after = ResourceSnapshot.take().descriptors.values.count { $0.hasPrefix(directory.url.path) }
        #expect(after == 0)
      }
      #expect(await eventually { ResourceSnapshot.take().temporaryFiles.isEmpty })
    }
  }

  @Test func `a process that ends during a download leaves no file`() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      setenv("TMPDIR", directory.url.path, 1)
      let server = try ScriptedServer { connection in
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n")
        try connection.send(Data(count: 1_000_000))
        try connection.hold()
      }
      let task = URLSession.forTest().downloadTask(with: server.url()) { _, _, _ in }
      task.resume()
      #expect(await eventually { task.countOfBytesReceived == 1_000_000 })
      let isOpen = ResourceSnapshot.take().descriptors.values.contains { $0.hasPrefix(directory.url.path) }
      #expect(isOpen)
      // The file has no name yet, so it disappears with the process.
      #expect(ResourceSnapshot.take().temporaryFiles.isEmpty)
    }
  }

  @Test func `no file is left after a download, regardless of how it ends`() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      setenv("TMPDIR", directory.url.path, 1)
      let reached = Gate()
      let server = try ScriptedServer { connection in
        while let request = try connection.nextRequest() {
          switch request.path {
          case "/cut":
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            return
          case "/hold":
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            reached.open()
            try connection.hold()
          default: try connection.send(Reply(text: "complete"))
          }
        }
      }
      let session = URLSession.forTest(delegate: SilentDelegate())
      _ = await errorCode { _ = try await session.download(from: server.url("/cut")) }
      let task = Task { try await session.download(from: server.url("/hold")) }
      await reached.wait()
      task.cancel()
      _ = await task.result
      session.downloadTask(with: server.url("/")).resume()
      session.downloadTask(with: server.url("/")).cancel()
      session.downloadTask(with: server.url("/cut")) { _, _, _ in }.resume()
      #expect(await eventually { await session.allTasks.isEmpty })
      session.invalidateAndCancel()
      session.downloadTask(with: server.url("/")) { _, _, _ in }.resume()
      session.downloadTask(with: server.url("/")).resume()
      #expect(await eventually { ResourceSnapshot.take().temporaryFiles.isEmpty })
    }
  }
}
#endif
