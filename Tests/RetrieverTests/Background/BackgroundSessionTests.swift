#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Background sessions in one process. The end of a run is a copy of the session's directory, as a killed program leaves it.
@Suite(.timeLimit(.minutes(5))) final class BackgroundSessionTests: Sendable {
  private let directory: TemporaryDirectory
  private let later: TemporaryDirectory
  private let body = Data.pattern(count: 400_000)

  init() throws { (directory, later) = (try TemporaryDirectory(), try TemporaryDirectory()) }

  /// Copies the directory as it is now, for a session of the next run.
  private func endRun() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) {
      try FileManager.default.copyItem(at: directory.file(name), to: later.file(name))
    }
  }

  private func journal(_ directory: TemporaryDirectory) -> BackgroundJournal {
    let bytes = (try? Data(contentsOf: directory.file("test/journal"))) ?? Data()
    return BackgroundJournal(BackgroundLine.entries(in: [UInt8](bytes)))
  }

  private var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path("test"))) ?? []).sorted()
  }

  // MARK: Configuration

  @Test func `the configuration has the identifier and the defaults of background sessions`() {
    let configuration = URLSessionConfiguration.background(withIdentifier: "a/b")
    #expect(configuration.identifier == "a/b")
    #expect(configuration.urlCache == nil)
    #expect(configuration.sessionSendsLaunchEvents)
    #expect(URLSessionConfiguration.default.identifier == nil)
    configuration.sessionSendsLaunchEvents = false
    configuration.sharedContainerIdentifier = "group"
    configuration.backgroundDirectory = directory.url
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    #expect(session.configuration.identifier == "a/b")
    #expect(session.configuration.sharedContainerIdentifier == "group")
    #expect(!session.configuration.sessionSendsLaunchEvents)
    #expect(session.settings.waitsForConnectivity)
  }

  // MARK: Refused tasks

  @Test func `completion handlers and async methods are refused with a sentence`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let session = backgroundSession(directory)
    let (url, request, file) = (server.url(), URLRequest(url: server.url()), try directory.file(ofSize: 10).0)
    #expect(await errorCode { _ = try await session.data(from: url) } == .resourceUnavailable)
    #expect(await errorCode { _ = try await session.download(from: url) } == .resourceUnavailable)
    #expect(await errorCode { _ = try await session.bytes(from: url) } == .resourceUnavailable)
    #expect(
      await errorCode { _ = try await session.upload(for: request, from: Data()) } == .resourceUnavailable)
    #expect(
      await errorCode { _ = try await session.upload(for: request, fromFile: file) } == .resourceUnavailable)
    let errors = Log<String>()
    let gate = Gate()
    let task = session.downloadTask(with: url) { _, _, error in
      errors.add(error?.localizedDescription ?? "")
      gate.open()
    }
    task.resume()
    #expect(await gate.wait(within: .seconds(90)))
    #expect(errors.all.first?.contains("not supported in background sessions") == true)
    #expect(server.requests.isEmpty)
    session.invalidateAndCancel()
  }

  @Test func `uploads from data and streams are refused with a sentence`() async throws {
    let delegate = BackgroundDelegate()
    let session = backgroundSession(directory, "test", delegate)
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
    session.uploadTask(with: request, from: Data("a".utf8)).resume()
    session.uploadTask(withStreamedRequest: request).resume()
    request.httpBodyStream = InputStream(data: Data())
    session.downloadTask(with: request).resume()
    request.httpBody = Data(count: StoredRequest.maximumBody + 1)
    session.downloadTask(with: request).resume()
    #expect(await eventually { delegate.errors.all.count == 4 })
    #expect(delegate.errors.all.allSatisfy { $0.code == .resourceUnavailable })
    #expect(journal(directory).tasks.isEmpty)
    session.invalidateAndCancel()
  }

  @Test func `data tasks work, and are not stored`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let delegate = BackgroundDelegate()
    let session = backgroundSession(directory, "test", delegate)
    let task = session.dataTask(with: server.url())
    #expect(journal(directory).tasks.isEmpty)
    task.resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.words.all == ["completed 1 0"])
    session.invalidateAndCancel()
  }

  @Test func `delegates of tasks have no effect`() throws {
    let session = backgroundSession(directory)
    let task = session.downloadTask(with: try #require(URL(string: "http://127.0.0.1:1/")))
    task.delegate = SilentDelegate()
    #expect(task.delegate == nil)
    session.invalidateAndCancel()
  }

  @Test func `without a directory, tasks are refused with a sentence`() async throws {
    let delegate = BackgroundDelegate()
    try directory.write(Data(), to: "file")
    let session = backgroundSession(directory, "test", delegate) {
      $0.backgroundDirectory = self.directory.file("file")
    }
    session.downloadTask(with: try #require(URL(string: "http://127.0.0.1:1/"))).resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.errors.all.first?.code == .cannotCreateFile)
  }

  // MARK: Two sessions

  @Test func `a second session with the identifier has no tasks, until the first is invalid`() async throws {
    let (first, second) = (BackgroundDelegate(), BackgroundDelegate())
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let one = backgroundSession(directory, "test", first)
    let waiting = one.downloadTask(with: server.url())
    let two = backgroundSession(directory, "test", second)
    #expect(await two.allTasks.isEmpty)
    two.downloadTask(with: server.url()).resume()
    #expect(await second.completed.wait(within: .seconds(90)))
    #expect(second.errors.all.map(\.code) == [.backgroundSessionInUseByAnotherProcess])
    #expect(server.requests.isEmpty)
    #expect(await one.allTasks.map(\.taskIdentifier) == [waiting.taskIdentifier])
    one.invalidateAndCancel()
    #expect(await first.invalid.wait(within: .seconds(90)))
    two.downloadTask(with: server.url()).resume()
    #expect(await eventually { second.words.all.contains("file 2") })
    #expect(first.words.all == ["completed 1 -999", "invalid"])
    two.invalidateAndCancel()
  }

  @Test func `a released session gives its identifier back`() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    do { _ = backgroundSession(directory) }
    let session = backgroundSession(directory)
    #expect(journal(directory).tasks.isEmpty)
    let task = session.downloadTask(with: url)
    #expect(journal(directory).tasks.keys.contains(task.taskIdentifier))
    session.invalidateAndCancel()
  }

  // MARK: Invalidation

  @Test func `invalidateAndCancel removes the tasks from the disk`() async throws {
    let delegate = BackgroundDelegate()
    let server = try PortionServer(body, allowances: [100_000])
    let session = backgroundSession(directory, "test", delegate)
    session.downloadTask(with: server.url).resume()
    _ = session.downloadTask(with: server.url)
    #expect(
      await eventually { server.heldCount == 1 && self.journal(self.directory).tasks[1]?.partial != nil })
    session.invalidateAndCancel()
    #expect(journal(directory).tasks.isEmpty)
    #expect(await delegate.invalid.wait(within: .seconds(90)))
    #expect(await eventually { self.files == ["journal", "lock"] })
  }

  @Test func `finishTasksAndInvalidate lets the tasks end, and then gives the identifier back`() async throws
  {
    let delegate = BackgroundDelegate()
    let server = try PortionServer(body, allowances: [])
    let session = backgroundSession(directory, "test", delegate)
    session.downloadTask(with: server.url).resume()
    session.finishTasksAndInvalidate()
    #expect(await delegate.invalid.wait(within: .seconds(90)))
    #expect(delegate.words.all == ["file 1", "completed 1 0", "invalid"])
    #expect(delegate.bodies.all == [body])
    #expect(journal(directory).tasks.isEmpty)
    _ = try BackgroundStore(identifier: "test", directory: directory.url.path).open(takesUp: false)
  }

  // MARK: The next run

  @Test(arguments: [true, false])
  func `a download continues from its file in the next run`(hasLength: Bool) async throws {
    let server = try PortionServer(body, allowances: [150_000], hasLength: hasLength)
    let session = backgroundSession(directory)
    var request = URLRequest(url: server.url)
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    let task = session.downloadTask(with: request)
    task.taskDescription = "photo"
    task.countOfBytesClientExpectsToReceive = 400_000
    task.priority = 0.75
    task.resume()
    #expect(await eventually { task.countOfBytesReceived == 150_000 })
    // The last buffer is written when it is full, or at the end.
    #expect(await eventually { self.journal(self.directory).tasks[1]?.partial?.response != nil })
    #expect(await eventually { self.fileLength > 100_000 })
    try endRun()

    let delegate = BackgroundDelegate()
    let next = backgroundSession(later, "test", delegate)
    let restored = await next.allTasks.first
    if let restored {
      #expect(restored.taskIdentifier == task.taskIdentifier)
      #expect(restored.taskDescription == "photo")
      #expect(restored.originalRequest == request)
      #expect(restored.countOfBytesClientExpectsToReceive == 400_000)
      #expect(restored.priority == 0.75)
      #expect(restored is URLSessionDownloadTask)
    }
    #expect(await delegate.finished.wait(within: .seconds(90)))
    #expect(delegate.words.all == ["file 1", "completed 1 0", "events"])
    #expect(delegate.bodies.all == [body])
    #expect(server.ranges.count == 2)
    #expect(server.ranges.last??.hasPrefix("bytes=1") == true)
    #expect(server.server.requests.last?["Authorization"] == "Bearer secret")
    #expect(journal(later).tasks.isEmpty)
    // The numbers go on.
    #expect(next.downloadTask(with: server.url).taskIdentifier == 2)
    next.invalidateAndCancel()
    session.invalidateAndCancel()
  }

  private var fileLength: Int {
    guard let name = journal(directory).tasks[1]?.partial?.name else { return 0 }
    return (try? Data(contentsOf: directory.file("test/\(name)")).count) ?? 0
  }

  @Test func `a download that cannot be resumed starts again`() async throws {
    let server = try PortionServer(body, allowances: [150_000], tag: nil)
    let session = backgroundSession(directory)
    let task = session.downloadTask(with: server.url)
    task.resume()
    #expect(await eventually { self.fileLength > 100_000 })
    try endRun()
    let delegate = BackgroundDelegate()
    let next = backgroundSession(later, "test", delegate)
    #expect(await delegate.finished.wait(within: .seconds(90)))
    #expect(delegate.bodies.all == [body])
    #expect(server.ranges == [nil, nil])
    let partials = try FileManager.default.contentsOfDirectory(atPath: later.path("test"))
    #expect(partials.filter { $0.hasSuffix(".tmp") }.isEmpty)
    next.invalidateAndCancel()
    session.invalidateAndCancel()
  }

  @Test func `a file that has changed on the server is downloaded from the beginning`() async throws {
    let server = try PortionServer(body, allowances: [150_000])
    let session = backgroundSession(directory)
    session.downloadTask(with: server.url).resume()
    #expect(await eventually { self.fileLength > 100_000 })
    try endRun()
    // The next run finds another entity tag.
    let path = later.path("test/journal")
    let changed = journal(later).entries.compactMap { entry -> [UInt8]? in
      guard case .task(var task) = entry else { return BackgroundLine.bytes(entry) }
      task.partial?.validator = "\"other\""
      return BackgroundLine.bytes(.task(task))
    }
    try Data(changed.flatMap { $0 }).write(to: URL(fileURLWithPath: path))
    let delegate = BackgroundDelegate()
    let next = backgroundSession(later, "test", delegate)
    #expect(await delegate.finished.wait(within: .seconds(90)))
    #expect(delegate.bodies.all == [body])
    #expect(server.ranges.last != .some(nil))
    next.invalidateAndCancel()
    session.invalidateAndCancel()
  }

  @Test func `a suspended task stays suspended, and its properties are kept`() async throws {
    let server = try PortionServer(body, allowances: [])
    let session = backgroundSession(directory)
    let date = Date(timeIntervalSince1970: 2_000_000_000)
    let task = session.downloadTask(with: server.url)
    // Otherwise it may be complete before it is suspended.
    task.earliestBeginDate = date
    task.resume()
    task.suspend()
    let other = session.downloadTask(with: server.url)
    other.earliestBeginDate = date
    try endRun()
    let delegate = BackgroundDelegate()
    let next = backgroundSession(later, "test", delegate)
    let restored = await next.allTasks
    #expect(restored.map(\.state) == [.suspended, .suspended])
    #expect(restored.map(\.earliestBeginDate) == [date, date])
    restored.first?.earliestBeginDate = nil
    restored.first?.resume()
    #expect(await delegate.completed.wait(within: .seconds(90)))
    // No task of the earlier run was running.
    #expect(delegate.words.all == ["file 1", "completed 1 0"])
    next.invalidateAndCancel()
    session.invalidateAndCancel()
  }

  @Test func `a task that was cancelled does not continue`() async throws {
    let server = try PortionServer(body, allowances: [100])
    let queue = OperationQueue()
    let configuration = URLSessionConfiguration.background(withIdentifier: "test")
    configuration.backgroundDirectory = directory.url
    queue.isSuspended = true
    let session = URLSession(configuration: configuration, delegate: SilentDelegate(), delegateQueue: queue)
    let task = session.downloadTask(with: server.url)
    task.resume()
    #expect(await eventually { server.heldCount == 1 })
    task.cancel()
    // The partial file is removed, and must not disappear during the copy.
    #expect(await eventually { !self.files.contains { $0.hasPrefix("RetrieverDownload") } })
    try endRun()
    let delegate = BackgroundDelegate()
    let next = backgroundSession(later, "test", delegate)
    #expect(await delegate.finished.wait(within: .seconds(90)))
    #expect(delegate.words.all == ["completed 1 -999", "events"])
    #expect(server.ranges.count == 1)
    queue.isSuspended = false
    next.invalidateAndCancel()
    session.invalidateAndCancel()
  }

  @Test func `resume data of a background download can be used in any session`() async throws {
    let server = try PortionServer(body, allowances: [150_000])
    let session = backgroundSession(directory)
    let task = session.downloadTask(with: server.url)
    task.resume()
    #expect(await eventually { self.fileLength > 100_000 })
    let data = try #require(await task.cancelByProducingResumeData())
    let (file, _) = try await URLSession.forTest().download(resumeFrom: data)
    #expect(try Data(contentsOf: file) == body)
    try FileManager.default.removeItem(at: file)
    session.invalidateAndCancel()
  }

  @Test func `a background download begins with resume data`() async throws {
    let server = try PortionServer(body, allowances: [150_000, 100_000])
    let other = URLSession.forTest()
    let task = other.downloadTask(with: server.url)
    task.resume()
    #expect(await eventually { task.countOfBytesReceived == 150_000 })
    let data = try #require(await task.cancelByProducingResumeData())
    let session = backgroundSession(directory)
    let resumed = session.downloadTask(withResumeData: data)
    resumed.resume()
    #expect(await eventually { resumed.countOfBytesReceived == 100_000 })
    try endRun()
    let delegate = BackgroundDelegate()
    let next = backgroundSession(later, "test", delegate)
    #expect(await delegate.finished.wait(within: .seconds(90)))
    #expect(delegate.bodies.all == [body])
    #expect(server.ranges.count == 3)
    #expect(!server.ranges.dropFirst().contains(nil))
    next.invalidateAndCancel()
    session.invalidateAndCancel()
  }

  // MARK: Uploads

  @Test func `a POST is recorded as under way before it is sent, and a PUT is not`() async throws {
    for method in ["POST", "PUT"] {
      let seen = Log<Bool?>()
      let store = Log<BackgroundStore>()
      let server = try ScriptedServer.http { _ in
        seen.add(store.all.first?.record(1)?.isUnderWay)
        return Reply(text: "stored")
      }
      let delegate = BackgroundDelegate()
      let session = backgroundSession(directory, method, delegate)
      store.add(try #require(session.background))
      let (file, data) = try directory.file(ofSize: 1000)
      var request = URLRequest(url: server.url())
      request.httpMethod = method
      session.uploadTask(with: request, fromFile: file).resume()
      #expect(await delegate.completed.wait(within: .seconds(90)))
      #expect(delegate.words.all == ["completed 1 0"])
      #expect(seen.all == [method == "POST"])
      #expect(server.requests.first?.body == data)
      session.invalidateAndCancel()
    }
  }

  @Test func `the time in earlier runs counts towards the maximum time of a load`() async throws {
    let server = try PortionServer(body, allowances: [100])
    let session = backgroundSession(directory)
    session.downloadTask(with: server.url).resume()
    #expect(await eventually { server.heldCount == 1 })
    try endRun()
    let delegate = BackgroundDelegate()
    let next = backgroundSession(later, "test", delegate) { configuration in
      configuration.timeoutIntervalForResource = 3600
      configuration.wallClock = WallClock(now: { Date() + 3601 }, sleep: WallClock.system.sleep)
    }
    #expect(await delegate.finished.wait(within: .seconds(90)))
    #expect(delegate.errors.all.map(\.code) == [.timedOut])
    next.invalidateAndCancel()
    session.invalidateAndCancel()
  }
}
#endif
