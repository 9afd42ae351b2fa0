#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

@Suite final class BackgroundStoreTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func store(_ identifier: String = "test") -> BackgroundStore {
    BackgroundStore(identifier: identifier, directory: directory.url.path)
  }

  private var folder: String { directory.path("test") }

  private func code(_ open: () throws -> Void) -> URLError.Code? {
    do {
      try open()
      return nil
    } catch {
      return (error as? URLError)?.code
    }
  }

  // MARK: Names

  @Test func `every identifier has a file name of its own, without a path`() {
    let identifiers = [
      ".", "..", "/", "a/b", "../../etc", "a", "A", "a.b", ".a", "%2F", "~", "a~b", "\0", "\n", "ü", "🐕",
      "a b",
      String(repeating: "x", count: 300), String(repeating: "x", count: 301),
      String(repeating: "/", count: 300), String(repeating: "x", count: 200),
      String(repeating: "x", count: 201),
    ]
    let names = identifiers.map(BackgroundDirectory.name)
    #expect(Set(names).count == identifiers.count)
    for name in names {
      #expect(!name.isEmpty && name != "." && name != ".." && name.utf8.count <= 200)
      #expect(!name.contains("/") && !name.contains("\0"))
    }
    #expect(BackgroundDirectory.name(for: "com.example.photos") == "com.example.photos")
  }

  @Test func `any identifier can be used`() throws {
    for identifier in ["../outside", "a/b", String(repeating: "/", count: 300), "\0"] {
      let opened = store(identifier)
      _ = try opened.open(takesUp: true)
      try opened.add(try #require(.forTest(1)))
      opened.close()
      let again = store(identifier)
      #expect(try again.open(takesUp: true).left.count == 1)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).count == 4)
    #expect(code { _ = try store("").open(takesUp: true) } == .cannotCreateFile)
    #expect(
      code { _ = try BackgroundStore(identifier: "a", directory: nil).open(takesUp: true) }
        == .cannotCreateFile)
  }

  // MARK: The directory

  @Test func `only the user may access the journal`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    try opened.add(try #require(.forTest(1)))
    var status = stat()
    #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
    for file in ["journal", "lock"] {
      #expect(stat("\(folder)/\(file)", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `a directory that others may change is made private`() throws {
    #expect(mkdir(folder, 0o777) == 0 && chmod(folder, 0o777) == 0)
    _ = try store().open(takesUp: true)
    var status = stat()
    #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
  }

  @Test func `only one session at a time uses a journal`() throws {
    let (first, second) = (store(), store())
    _ = try first.open(takesUp: true)
    #expect(code { _ = try second.open(takesUp: true) } == .backgroundSessionInUseByAnotherProcess)
    #expect(code { _ = try first.open(takesUp: true) } == nil)
    _ = try store("other").open(takesUp: true)
    first.close()
    #expect(code { _ = try second.open(takesUp: true) } == nil)
  }

  @Test func `a session that opens its journal later does not take up tasks`() throws {
    let (first, second) = (store(), store())
    _ = try first.open(takesUp: true)
    try first.add(try #require(.forTest(7)))
    first.close()
    #expect(code { _ = try second.open(takesUp: false) } == .backgroundSessionInUseByAnotherProcess)
    _ = try first.open(takesUp: true)
    first.removeAll()
    first.close()
    #expect(try second.open(takesUp: false).lastIdentifier == 7)
  }

  @Test(arguments: ["symbolic link", "named pipe", "directory", "file"])
  func `unusual files in place of the directory, the lock and the journal are harmless`(kind: String) throws {
    func make(_ path: String) throws {
      switch kind {
      case "symbolic link": #expect(symlink(directory.path("target"), path) == 0)
      case "named pipe": #expect(mkfifo(path, 0o600) == 0)
      case "directory": #expect(mkdir(path, 0o700) == 0)
      default: try Data("something else\n".utf8).write(to: URL(fileURLWithPath: path))
      }
    }
    try Data("target".utf8).write(to: URL(fileURLWithPath: directory.path("target")))

    try make(folder)
    #expect(code { _ = try store().open(takesUp: true) } == (kind == "directory" ? nil : .cannotCreateFile))

    try FileManager.default.removeItem(atPath: folder)
    #expect(mkdir(folder, 0o700) == 0)
    try make("\(folder)/journal")
    let isReplaced = kind != "directory"
    #expect(code { _ = try store().open(takesUp: true) } == (isReplaced ? nil : .cannotWriteToFile))

    try FileManager.default.removeItem(atPath: folder)
    #expect(mkdir(folder, 0o700) == 0)
    try make("\(folder)/lock")
    let isLocked = kind == "file" || kind == "named pipe"
    #expect(code { _ = try store().open(takesUp: true) } == (isLocked ? nil : .cannotCreateFile))
    #expect(try String(contentsOfFile: directory.path("target"), encoding: .utf8) == "target")
  }

  @Test func `a huge journal is read up to a limit`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    try opened.add(try #require(.forTest(1)))
    opened.close()
    #expect(truncate("\(folder)/journal", 1 << 30) == 0)
    let again = store()
    #expect(try again.open(takesUp: true).left.map(\.task.identifier) == [1])
    var status = stat()
    #expect(stat("\(folder)/journal", &status) == 0 && status.st_size < 10_000)
  }

  @Test func `a damaged journal keeps its readable tasks`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    for identifier in 1...3 { try opened.add(try #require(.forTest(identifier))) }
    opened.close()
    let path = "\(folder)/journal"
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    lines[lines.count - 2] = lines[lines.count - 2].replacing("example", with: "exbmple")
    try Data((lines.joined(separator: "\n") + "\nab").utf8).write(to: URL(fileURLWithPath: path))
    let again = store()
    #expect(try again.open(takesUp: true).left.map(\.task.identifier) == [1, 3])
    try again.add(try #require(.forTest(4)))
    again.close()
    #expect(try again.open(takesUp: true).left.map(\.task.identifier) == [1, 3, 4])
  }

  // MARK: Files of downloads

  @Test func `files that no task needs are removed, and others stay`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    try opened.add(try #require(.forTest(1)))
    let (needed, abandoned) = (PartialFileName.random(), PartialFileName.random())
    opened.note(.partial(1, .init(name: needed, isTemporary: false)))
    opened.close()
    for name in [needed, abandoned, "notes.txt", ".journal.abc"] {
      try Data("abc".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    _ = try store().open(takesUp: true)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(Set(files) == ["journal", "lock", "notes.txt", needed])
  }

  @Test func `a record cannot name a file in another directory`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    try Data("abc".utf8).write(to: URL(fileURLWithPath: directory.path("outside")))
    for (index, name) in ["../outside", "journal", "/etc/passwd", ""].enumerated() {
      try opened.add(try #require(.forTest(index + 1)))
      opened.note(.partial(index + 1, .init(name: name, isTemporary: false)))
    }
    opened.close()
    let left = try opened.open(takesUp: true).left
    #expect(left.count == 4)
    #expect(left.allSatisfy { $0.file == nil && $0.action == .start })
    for task in left { _ = opened.delivered(task.task.identifier) }
    #expect(FileManager.default.fileExists(atPath: directory.path("outside")))
    #expect(FileManager.default.fileExists(atPath: "\(folder)/journal"))
  }

  @Test func `a link in place of a download's file is not followed`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    try opened.add(try #require(.forTest(1)))
    let name = PartialFileName.random()
    opened.note(.partial(1, .init(name: name, isTemporary: false, boot: BackgroundDirectory.boot)))
    opened.note(.head(1, try #require(.forTest()), validator: "\"a\"", length: 100))
    opened.close()
    try Data(count: 50).write(to: URL(fileURLWithPath: directory.path("secret")))
    #expect(symlink(directory.path("secret"), "\(folder)/\(name)") == 0)
    #expect(try opened.open(takesUp: true).left.map(\.action) == [.start])
  }

  // MARK: Secrets and growth

  @Test func `secrets of a task are removed with it`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    try opened.add(try #require(.forTest(1, fields: ["Authorization": "Bearer hidden"])))
    try opened.add(try #require(.forTest(2)))
    #expect(try String(contentsOfFile: "\(folder)/journal", encoding: .utf8).contains("hidden"))
    _ = opened.delivered(1)
    #expect(try !String(contentsOfFile: "\(folder)/journal", encoding: .utf8).contains("hidden"))
    opened.close()
    #expect(try opened.open(takesUp: true).left.map(\.task.identifier) == [2])
  }

  @Test func `a journal does not grow without a limit`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    try opened.add(try #require(.forTest(1)))
    var attributes = try #require(BackgroundTaskRecord.forTest(1)).attributes
    for number in 0..<200 {
      attributes.taskDescription = String(repeating: "\(number % 10)", count: 20_000)
      opened.note(.attributes(1, attributes))
    }
    var status = stat()
    #expect(stat("\(folder)/journal", &status) == 0)
    #expect(Int(status.st_size) < 2 * BackgroundStore.maximumGrowth)
    opened.close()
    #expect(try opened.open(takesUp: true).left.first?.task.attributes == attributes)
  }

  @Test func `the events of an earlier run end with its last task`() throws {
    let opened = store()
    _ = try opened.open(takesUp: true)
    for identifier in 1...3 { try opened.add(try #require(.forTest(identifier))) }
    opened.expectEvents(of: [1, 2])
    #expect(!opened.delivered(1))
    #expect(!opened.delivered(3))
    #expect(opened.delivered(2))
    #expect(!opened.delivered(2))
  }
}
#endif
