import Foundation
import Glibc
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelCommand

@Suite(
  .enabled(if: TestWorld.hasFiles, "backups are made of SQLite"), .timeLimit(.minutes(5)))
struct BackupTests {
  @Test func `a backup made while the kennel is served is complete`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(2)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    let server = try await kennel.start("serve", "--port", "0")
    let file = kennel.directory.path("kennel.tar")
    let backup = try await kennel.run("backup", file)
    #expect(backup.status == 0 && backup.output.hasPrefix("\(file): 2 photos, "), "\(backup.errors)")
    #expect(try await server.end() == 0)
    let elsewhere = kennel.directory.path("elsewhere/kennel")
    #expect(try await kennel.run("restore", file, "--data", elsewhere).status == 0)
    #expect(try await kennel.run("check", "--data", elsewhere).output == "2 photos: no problems found.\n")
    #expect(try await kennel.run("user", "list", "--data", elsewhere).output.hasPrefix("Ada  owner"))
    let refused = try await kennel.run("restore", file)
    #expect(refused.status != 0 && !refused.errors.isEmpty, "there is a kennel already")
  }

  @Test(arguments: ["", "no backup", String(repeating: "a picture ", count: 1000), "kennel.sqlites"])
  func `restoring a file that is not a backup gives a clear error`(text: String) async throws {
    let kennel = try Kennel()
    try kennel.directory.write(Data(text.utf8), to: "dog.jpg")
    let result = try await kennel.run("restore", kennel.directory.path("dog.jpg"))
    #expect(result.status == 1)
    #expect(
      result.errors
        == "kennel: The file is not a Kennel backup. Use a file written by kennel backup.\n")
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
  }

  @Test func `a backup to a symbolic link keeps the link and replaces its target`() async throws {
    let kennel = try await Kennel.withOwner()
    let link = kennel.directory.path("latest.tar")
    for target in ["elsewhere/first.tar", "elsewhere/first.tar", "elsewhere/second.tar"] {
      try? FileManager.default.removeItem(atPath: link)
      try FileManager.default.createDirectory(
        at: kennel.directory.file("elsewhere"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
      let backup = try await kennel.run("backup", link)
      #expect(backup.status == 0, "\(backup.errors)")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: kennel.directory.path("elsewhere"))
    #expect(Set(names) == ["first.tar", "second.tar"])
    #expect(
      try await kennel.run("restore", link, "--data", kennel.directory.path("restored")).status == 0)
  }

  @Test func `a backup to a device or a pipe is written directly`() async throws {
    let kennel = try await Kennel.withOwner()
    #expect(try await kennel.run("backup", "/dev/null").status == 0)
    let full = try await kennel.run("backup", "/dev/full")
    #expect(full.status == 8 && full.errors.contains("at /dev/full: No space left on device"))
    for device in ["/dev/null", "/dev/full"] {
      let type = try FileManager.default.attributesOfItem(atPath: device)[.type] as? FileAttributeType
      #expect(type == .typeCharacterSpecial)
    }
    let pipe = kennel.directory.path("pipe")
    let copy = kennel.directory.path("copy.tar")
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = try ChildProcess(["/bin/sh", "-c", "exec cat '\(pipe)' >'\(copy)'"])
    defer { reader.stop() }
    #expect(try await kennel.run("backup", pipe).status == 0)
    #expect(try await Kennel.end(of: reader) == 0)
    #expect(
      try await kennel.run("restore", copy, "--data", kennel.directory.path("restored")).status == 0)
  }

  @Test(arguments: ["-", "/dev/stdout"])
  func `a backup to standard output contains nothing else`(target: String) async throws {
    let kennel = try await Kennel.withOwner()
    let copy = kennel.directory.path("copy.tar")
    let child = try ChildProcess(
      ["/bin/bash", "-c", "set -o pipefail; '\(Kennel.path)' backup \(target) | cat >'\(copy)'"],
      environment: kennel.environment, output: kennel.directory.path("messages"))
    #expect(try await Kennel.end(of: child) == 0)
    let messages = try String(contentsOf: kennel.directory.file("messages"), encoding: .utf8)
    #expect(messages.hasPrefix("kennel: The backup contains 0 photos, "), "\(messages)")
    #expect(!FileManager.default.fileExists(atPath: "-"))
    let restored = try await kennel.run("restore", copy, "--data", kennel.directory.path("restored"))
    #expect(restored.status == 0, "\(restored.errors)")
  }

  @Test func `a closed standard output ends the backup`() async throws {
    let kennel = try await Kennel.withOwner()
    let child = try ChildProcess(
      ["/bin/bash", "-c", "'\(Kennel.path)' backup - | true; exit ${PIPESTATUS[0]}"],
      environment: kennel.environment, output: kennel.directory.path("messages"))
    #expect(try await Kennel.end(of: child) == 141)
    #expect(try String(contentsOf: kennel.directory.file("messages"), encoding: .utf8) == "")
  }

  @Test func `a backup is not written to a terminal`() async throws {
    let kennel = try await Kennel.withOwner()
    let child = try ChildProcess(
      ["script", "-qefc", "'\(Kennel.path)' backup -", kennel.directory.path("screen")],
      environment: kennel.environment)
    #expect(try await Kennel.end(of: child) == 2)
    let screen = try String(contentsOf: kennel.directory.file("screen"), encoding: .utf8)
    #expect(screen.contains("A backup cannot be written to a terminal. Give a file"))
  }

  @Test func `a folder given as the backup file is an error with an example`() async throws {
    let kennel = try await Kennel.withOwner()
    let folder = kennel.directory.url.path
    for path in [folder, folder + "/"] {
      let result = try await kennel.run("backup", path)
      #expect(result.status == 8)
      #expect(
        result.errors
          == "kennel: The path \(path) is a folder. Give the path of a file, such as \(folder)/kennel.tar.\n")
    }
  }

  @Test func `restoring from anything but a regular file is an error`() async throws {
    let kennel = try Kennel()
    let pipe = kennel.directory.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in ["/dev/null", kennel.directory.url.path, pipe] {
      let result = try await kennel.run("restore", path)
      #expect(result.status == 1 && result.errors.contains("The backup is not a regular file."))
    }
  }

  @Test func `a truncated backup is reported as incomplete`() async throws {
    let kennel = try await Kennel.withOwner()
    let file = kennel.directory.path("kennel.tar")
    #expect(try await kennel.run("backup", file).status == 0)
    let backup = try Data(contentsOf: kennel.directory.file("kennel.tar"))
    for count in [5, 600, backup.count - 600] {
      try kennel.directory.write(backup.prefix(count), to: "kennel.tar")
      let elsewhere = kennel.directory.path("elsewhere")
      let result = try await kennel.run("restore", file, "--data", elsewhere)
      #expect(result.errors.contains("The backup is incomplete."), "\(count): \(result.errors)")
    }
  }
}
