import CTransferMemory
import Foundation
import Glibc
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(1)))
struct ReceiveMemoryTests {
  private static let size = retriever_receive_bytes + 1
  /// Where pages are larger, all memory is the C library's.
  private static let hasPagesOfItsOwn = getpagesize() == 4096

  init() throws { try #require(Curl.isReady) }

  @Test(.enabled(if: hasPagesOfItsOwn))
  func receiveBuffersHavePagesOfTheirOwnAndOtherMemoryHasNot() throws {
    let large = retriever_stream_receive_bytes + 1
    let cases = [
      (Self.size, true), (Self.size - 1, false), (Self.size + 1, false), (1, false), (large, true),
      (large - 1, false),
    ]
    for (size, isApart) in cases {
      let memory = try #require(retriever_memory_take(size))
      #expect(retriever_memory_is_apart(memory) == isApart)
      retriever_memory_give(memory)
    }
    #expect(!retriever_memory_is_apart(nil))
  }

  @Test(.enabled(if: hasPagesOfItsOwn))
  func manyIdleBuffersGiveTheirPagesBack() throws {
    let count = 1000
    let first = try (0..<count).map { try take(marked: $0) }
    for memory in first { retriever_memory_give(memory) }
    let second = try (0..<count).map { _ in try #require(retriever_memory_take(Self.size)) }
    let resident = second.reduce(0) { $0 + residentPages(of: $1) }
    // The last few hundred stay warm for the next responses.
    #expect(resident < count * 5 / 2)
    for memory in second { retriever_memory_give(memory) }
  }

  @Test(.enabled(if: hasPagesOfItsOwn))
  func aBufferIsNeverGivenAHugePage() throws {
    let memory = try #require(retriever_memory_take(Self.size))
    defer { retriever_memory_give(memory) }
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
  func buffersInUseAtOnceShareNoByte() throws {
    let taken = try (0..<500).map { try take(marked: $0) }
    for (number, memory) in taken.enumerated() {
      #expect(isMarked(memory, number))
      retriever_memory_give(memory)
    }
  }

  @Test
  func tasksAtOnceAreNeverGivenTheSameBuffer() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<400).allSatisfy { _ in
            guard let memory = try? self.take(marked: task) else { return false }
            defer { retriever_memory_give(memory) }
            return self.isMarked(memory, task)
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test(arguments: [100, 16_384, 70_000])
  func aResizedBufferKeepsWhatIsInIt(size: Int) throws {
    let memory = try take(marked: 7)
    let resized = try #require(retriever_memory_resize(memory, size))
    #expect(!retriever_memory_is_apart(resized))
    #expect(isMarked(resized, 7, count: min(size, Self.size)))
    retriever_memory_give(resized)
  }

  private func take(marked number: Int) throws -> UnsafeMutableRawPointer {
    let memory = try #require(retriever_memory_take(Self.size))
    memset(memory, Int32(number % 256), Self.size)
    return memory
  }

  private func isMarked(_ memory: UnsafeMutableRawPointer, _ number: Int, count: Int = size) -> Bool {
    // Each byte as the one before it, compared by the C library: byte by byte, unoptimized, is a second's work.
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
