import Foundation
import Glibc
import SystemFiles
import TestSupport
import Testing

struct AtomicReplacementTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func replace(_ name: String, with text: String) -> Int32 {
    Array(text.utf8).withUnsafeBytes { AtomicReplacement.write($0, to: directory.path(name)) }
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: directory.file(name)), as: UTF8.self)
  }

  private func permissions(_ name: String) -> mode_t {
    var status = stat()
    return stat(directory.path(name), &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() }
  }

  @Test(arguments: [0o600, 0o640, 0o755] as [mode_t])
  func `a file is replaced and keeps its permissions`(mode: mode_t) throws {
    try directory.write(Data("old".utf8), to: "a")
    chmod(directory.path("a"), mode)
    #expect(replace("a", with: "new") == 0)
    #expect(try text("a") == "new")
    #expect(permissions("a") == mode)
    #expect(try names == ["a"])
  }

  @Test func `a new file gets the permissions of other new files`() throws {
    try directory.write(Data(), to: "b")
    close(open(directory.path("c"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666))
    #expect(replace("a", with: "new") == 0)
    #expect(try text("a") == "new")
    #expect(permissions("a") == permissions("c"))
  }

  @Test func `files that several threads create get the permissions of other new files`() async throws {
    close(open(directory.path("other"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666))
    let expected = permissions("other")
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<2000 { #expect(replace("\(thread) \(number)", with: "") == 0) }
        }
      }
    }
    close(open(directory.path("last"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666))
    #expect(try names.filter { permissions($0) != expected } == [])
  }

  @Test func `a file with a name of any length is replaced`() throws {
    let name = String(repeating: "é", count: 127) + "1"
    #expect(replace(name, with: "old") == 0)
    #expect(replace(name, with: "new") == 0)
    #expect(try text(name) == "new")
    #expect(try names == [name])
  }

  @Test func `a durable write can refuse to replace a file, and a failure leaves the old one`() throws {
    func write(_ text: String, to name: String, replaces: Bool, code: Int32 = 0) -> Int32 {
      AtomicReplacement.writeDurably(to: directory.path(name), replaces: replaces) { descriptor in
        let written = Array(text.utf8).withUnsafeBytes { DescriptorIO.write($0, to: descriptor) }
        return code == 0 ? written : code
      }
    }
    #expect(write("one", to: "a", replaces: false) == 0)
    #expect(write("two", to: "a", replaces: false) == EEXIST)
    #expect(write("two", to: "a", replaces: true, code: ECANCELED) == ECANCELED)
    #expect(try text("a") == "one")
    #expect(write("two", to: "a", replaces: true) == 0)
    #expect(try text("a") == "two")
    #expect(try names == ["a"])
  }

  @Test func `a reader of the old file keeps the old contents`() throws {
    try directory.write(Data("old".utf8), to: "a")
    let reader = open(directory.path("a"), O_RDONLY | O_CLOEXEC)
    defer { close(reader) }
    #expect(replace("a", with: "new and longer") == 0)
    #expect(try DescriptorIO.contents(of: reader, limit: 100) == Array("old".utf8))
  }

  @Test func `a file in a missing directory cannot be written`() throws {
    #expect(replace("missing/a", with: "new") == ENOENT)
    #expect(try names == [])
  }

  @Test func `a failed renaming leaves the old item and no temporary file`() throws {
    mkdir(directory.path("folder"), 0o700)
    try directory.write(Data("old".utf8), to: "folder/a")
    #expect(replace("folder", with: "new") == EISDIR)
    #expect(try text("folder/a") == "old")
    #expect(try names == ["folder"])
  }

  @Test func `a failed write leaves the old contents and no temporary file`() async {
    await #expect(processExitsWith: .success) {
      let tests = try AtomicReplacementTests()
      try tests.directory.write(Data("old".utf8), to: "a")
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #expect(tests.replace("a", with: String(repeating: "new", count: 2000)) == EFBIG)
      #expect(try tests.text("a") == "old")
      #expect(try tests.names == ["a"])
    }
  }
}
