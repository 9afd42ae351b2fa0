import CTransferMemory
import Foundation
import Glibc
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(5)))
struct ReceiveMemoryTests {
  private static let size = retriever_receive_bytes + 1
  /// With larger pages, all memory comes from the C library.
  private static let hasOwnPages = getpagesize() == 4096

  init() throws { try #require(Curl.isReady) }

  @Test(.enabled(if: hasOwnPages))
  func `only receive buffers have their own pages`() throws {
    let large = retriever_stream_receive_bytes + 1
    let cases = [
      (Self.size, true), (Self.size - 1, false), (Self.size + 1, false), (1, false), (large, true),
      (large - 1, false),
    ]
    for (size, isPooled) in cases {
      let memory = try #require(retriever_memory_allocate(size))
      #expect(retriever_memory_is_pooled(memory) == isPooled)
      retriever_memory_free(memory)
    }
    #expect(!retriever_memory_is_pooled(nil))
  }

  @Test(.enabled(if: hasOwnPages))
  func `many idle buffers release their pages`() throws {
    let count = 1000
    let first = try (0..<count).map { try take(marked: $0) }
    for memory in first { retriever_memory_free(memory) }
    let second = try (0..<count).map { _ in try #require(retriever_memory_allocate(Self.size)) }
    let resident = second.reduce(0) { $0 + residentPages(of: $1) }
    // The most recent few hundred keep their pages for the next responses.
    #expect(resident < count * 5 / 2)
    for memory in second { retriever_memory_free(memory) }
  }

  @Test(.enabled(if: hasOwnPages))
  func `a buffer never uses a huge page`() throws {
    let memory = try #require(retriever_memory_allocate(Self.size))
    defer { retriever_memory_free(memory) }
    guard access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0 else { return }
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    var isInside = false
    var flags: Substring?
    for line in maps.split(separator: "\n") where flags == nil {
      let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2 { isInside = (ends[0]..<ends[1]).contains(UInt(bitPattern: memory)) }
      if isInside, line.hasPrefix("VmFlags:") { flags = line }
    }
    #expect(flags?.split(separator: " ").contains("nh") == true)
  }

  @Test
  func `buffers in use at the same time do not overlap`() throws {
    let taken = try (0..<500).map { try take(marked: $0) }
    for (number, memory) in taken.enumerated() {
      #expect(isMarked(memory, number))
      retriever_memory_free(memory)
    }
  }

  @Test
  func `concurrent tasks never receive the same buffer`() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<400).allSatisfy { _ in
            guard let memory = try? self.take(marked: task) else { return false }
            defer { retriever_memory_free(memory) }
            return self.isMarked(memory, task)
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test(arguments: [100, 16_384, 70_000])
  func `a resized buffer keeps its content`(size: Int) throws {
    let memory = try take(marked: 7)
    let resized = try #require(retriever_memory_resize(memory, size))
    #expect(!retriever_memory_is_pooled(resized))
    #expect(isMarked(resized, 7, count: min(size, Self.size)))
    retriever_memory_free(resized)
  }

  private func take(marked number: Int) throws -> UnsafeMutableRawPointer {
    let memory = try #require(retriever_memory_allocate(Self.size))
    memset(memory, Int32(number % 256), Self.size)
    return memory
  }

  private func isMarked(_ memory: UnsafeMutableRawPointer, _ number: Int, count: Int = size) -> Bool {
    // Compares each byte with the previous one. The C library does this, because a loop in a debug build takes a
    // second.
    memory.load(as: UInt8.self) == UInt8(number % 256) && memcmp(memory, memory + 1, count - 1) == 0
  }

  private func residentPages(of memory: UnsafeMutableRawPointer) -> Int {
    let page = Int(getpagesize())
    let offset = Int(bitPattern: memory) % page
    var residents = [UInt8](repeating: 0, count: (offset + Self.size + page - 1) / page)
    guard mincore(memory - offset, offset + Self.size, &residents) == 0 else { return .max }
    return residents.reduce(0) { $0 + Int($1 & 1) }
  }
}
