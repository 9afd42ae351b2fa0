import Foundation
import Glibc
import TestSupport
import Testing

@testable import SystemFiles

struct DescriptorIOTests {
  private static let text = Array("The quick brown fox jumps over the lazy dog.".utf8)

  // MARK: Writing

  @Test func `partial and interrupted writes are continued`() {
    var written: [UInt8] = []
    var calls = 0
    let code = Self.text.withUnsafeBytes { bytes in
      DescriptorIO.drain(bytes) { rest, done in
        calls += 1
        if calls % 2 == 1 {
          errno = EINTR
          return -1
        }
        #expect(done == written.count)
        written += rest.prefix(5)
        return min(5, rest.count)
      }
    }
    #expect(code == 0)
    #expect(written == Self.text)
    #expect(calls == 18)
  }

  @Test func `the error of a write ends the writing`() {
    var calls = 0
    let code = Self.text.withUnsafeBytes { bytes in
      DescriptorIO.drain(bytes) { _, _ in
        calls += 1
        errno = ENOSPC
        return calls == 1 ? 10 : -1
      }
    }
    #expect(code == ENOSPC)
    #expect(calls == 2)
  }

  @Test func `a call that accepts no bytes is an input or output error`() {
    let code = Self.text.withUnsafeBytes { bytes in DescriptorIO.drain(bytes) { _, _ in 0 } }
    #expect(code == EIO)
  }

  @Test func `an empty buffer is written without a call`() {
    #expect(DescriptorIO.write(UnsafeRawBufferPointer(start: nil, count: 0), to: -1) == 0)
  }

  @Test func `bytes are written at the position or at an offset`() throws {
    let directory = try TemporaryDirectory()
    let file = open(directory.path("a"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    let codes = Self.text.withUnsafeBytes { bytes in
      [
        DescriptorIO.write(bytes, to: file, at: 44), DescriptorIO.write(bytes, to: file),
      ]
    }
    #expect(codes == [0, 0])
    #expect(try [UInt8](Data(contentsOf: directory.file("a"))) == Self.text + Self.text)
  }

  @Test func `a write to a descriptor that is only for reading returns the error number`() throws {
    let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(Self.text.withUnsafeBytes { DescriptorIO.write($0, to: file) } == EBADF)
  }

  // MARK: Reading

  @Test func `partial and interrupted reads are continued until the buffer is full`() throws {
    var calls = 0
    var buffer = [UInt8](repeating: 0, count: 20)
    let count = try buffer.withUnsafeMutableBytes { bytes in
      try DescriptorIO.fill(bytes) { rest, done in
        calls += 1
        if calls % 2 == 1 {
          errno = EINTR
          return -1
        }
        let piece = Self.text[done..<done + min(7, rest.count)]
        rest.copyBytes(from: piece)
        return piece.count
      }
    }
    #expect(count == 20)
    #expect(buffer == Array(Self.text.prefix(20)))
    #expect(calls == 6)
  }

  @Test func `the error of a read is thrown`() {
    var buffer = [UInt8](repeating: 0, count: 20)
    #expect(throws: SystemError(EIO)) {
      try buffer.withUnsafeMutableBytes { bytes in
        try DescriptorIO.fill(bytes) { _, _ in
          errno = EIO
          return -1
        }
      }
    }
  }

  @Test func `reading stops at the end of the file`() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Self.text, to: "a")
    let file = open(directory.path("a"), O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 20)
    let count = try buffer.withUnsafeMutableBytes { try DescriptorIO.read(into: $0, from: file, at: 40) }
    #expect(count == 4)
    #expect(buffer.prefix(4) == Self.text.suffix(4))
    #expect(lseek(file, 0, SEEK_CUR) == 0)
  }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 200_000])
  func `the contents of a file are complete`(size: Int) throws {
    let directory = try TemporaryDirectory()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try directory.write(bytes, to: "a")
    let file = open(directory.path("a"), O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(try DescriptorIO.contents(of: file, limit: 1 << 20) == bytes)
  }

  @Test(arguments: [0, 1, 5000, 100_000]) func `no more than the limit is read`(limit: Int) throws {
    let zero = open("/dev/zero", O_RDONLY | O_CLOEXEC)
    defer { close(zero) }
    #expect(try DescriptorIO.contents(of: zero, limit: limit) == [UInt8](repeating: 0, count: limit))
  }

  @Test func `a file in proc, whose size is 0, is read to its end`() throws {
    let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(try DescriptorIO.contents(of: file, limit: 1 << 20).starts(with: Array("Name:".utf8)))
  }

  @Test func `the contents of a directory cannot be read`() throws {
    let directory = open("/", O_RDONLY | O_CLOEXEC)
    defer { close(directory) }
    #expect(throws: SystemError(EISDIR)) { try DescriptorIO.contents(of: directory, limit: 100) }
  }

  // MARK: Waiting

  @Test func `a pipe is ready for reading when it has bytes, and for writing until it is full`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    try #require(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    #expect(DescriptorIO.wait(for: .reading, on: ends[0], milliseconds: 0) == .notReady)
    #expect(DescriptorIO.wait(for: .writing, on: ends[1], milliseconds: 0) == .ready)
    let code = [UInt8](repeating: 1, count: 1 << 22).withUnsafeBytes { DescriptorIO.write($0, to: ends[1]) }
    #expect(code == EAGAIN)
    #expect(DescriptorIO.wait(for: .reading, on: ends[0], milliseconds: 0) == .ready)
    #expect(DescriptorIO.wait(for: .writing, on: ends[1], milliseconds: 1) == .notReady)
  }

  @Test func `a descriptor that is not open is ready, because a call returns immediately`() {
    #expect(DescriptorIO.wait(for: .reading, on: 1 << 20, milliseconds: 0) == .ready)
  }
}
