#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

@Suite struct NetworkStateTests {
  // MARK: Messages

  private static func bytes<Value>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private static func message(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] {
    let length = UInt32(16 + payload.count)
    let padding = [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
    return bytes(length) + bytes(type) + bytes(UInt16(0)) + bytes(UInt32(0)) + bytes(UInt32(0)) + payload
      + padding
  }

  private static func link(_ index: Int32, _ flags: UInt32, isRemoved: Bool = false) -> [UInt8] {
    message(isRemoved ? 17 : 16, [0, 0, 0, 0] + bytes(index) + bytes(flags) + bytes(UInt32(0)))
  }

  private static func route(
    _ index: Int32?, family: Int32 = AF_INET, prefix: UInt8 = 0, kind: UInt8 = 1, isRemoved: Bool = false
  ) -> [UInt8] {
    let head: [UInt8] = [UInt8(family), prefix, 0, 0, 254, 3, 0, kind, 0, 0, 0, 0]
    let attribute = index.map { bytes(UInt16(8)) + bytes(UInt16(4)) + bytes($0) } ?? []
    return message(isRemoved ? 25 : 24, head + attribute)
  }

  private static let (up, loopback, running): (UInt32, UInt32, UInt32) = (0x1, 0x8, 0x40)

  private func state(_ messages: [UInt8]...) -> NetworkState {
    var state = NetworkState()
    for message in messages { _ = message.withUnsafeBytes { state.take($0) } }
    return state
  }

  // MARK: Tests

  @Test func `a default route over a link with a carrier is a network`() {
    #expect(state(Self.link(2, Self.up | Self.running), Self.route(2)).isOnline)
    #expect(state(Self.link(2, Self.up | Self.running), Self.route(2, family: AF_INET6)).isOnline)
    #expect(state(Self.link(2, Self.up | Self.running) + Self.route(2)).isOnline)
  }

  @Test func `other routes and links are not`() {
    #expect(!NetworkState().isOnline)
    #expect(!state(Self.link(2, Self.up | Self.running)).isOnline)
    #expect(!state(Self.link(2, Self.up), Self.route(2)).isOnline)
    #expect(!state(Self.link(2, Self.running), Self.route(2)).isOnline)
    #expect(!state(Self.link(1, Self.up | Self.running | Self.loopback), Self.route(1)).isOnline)
    #expect(!state(Self.link(2, Self.up | Self.running), Self.route(2, prefix: 24)).isOnline)
    #expect(!state(Self.link(2, Self.up | Self.running), Self.route(2, kind: 7)).isOnline)
    #expect(!state(Self.link(2, Self.up | Self.running), Self.route(3)).isOnline)
  }

  @Test func `a route over several links needs one of them`() {
    #expect(state(Self.link(2, Self.up | Self.running), Self.route(nil)).isOnline)
    #expect(!state(Self.link(2, Self.up), Self.route(nil)).isOnline)
  }

  @Test func `removed links and routes no longer count`() {
    let online = [Self.link(2, Self.up | Self.running), Self.route(2)]
    #expect(!state(online[0], online[1], Self.route(2, isRemoved: true)).isOnline)
    #expect(!state(online[0], online[1], Self.link(2, 0, isRemoved: true)).isOnline)
  }

  @Test func `the end of a dump and errors are recognised`() {
    var state = NetworkState()
    #expect(Self.message(3, [0, 0, 0, 0]).withUnsafeBytes { state.take($0) } == .done)
    #expect(Self.message(2, [0, 0, 0, 0]).withUnsafeBytes { state.take($0) } == .failed)
    #expect(Self.message(99, []).withUnsafeBytes { state.take($0) } == .more)
  }

  @Test(arguments: 0..<4) func `damaged messages are harmless`(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let valid = Self.link(2, Self.up | Self.running) + Self.route(2) + Self.message(3, [0, 0, 0, 0])
    for _ in 0..<5000 {
      var damaged = valid
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random))
      var state = NetworkState()
      _ = damaged.withUnsafeBytes { state.take($0) }
    }
  }
}
#endif
