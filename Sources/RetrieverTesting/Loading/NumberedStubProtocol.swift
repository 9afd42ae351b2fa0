#if canImport(Darwin)
import Foundation
import Synchronization

// Apple's sessions do not show their configuration to a protocol, so each set of stubs has a class of its own there.
// This file compiles there but is not tested.

/// A number as a type.
protocol TypeNumber {
  static var value: Int { get }
}

/// Zero.
enum NumberEnd: TypeNumber {
  static var value: Int { 0 }
}

/// Twice a number.
enum NumberEven<Half: TypeNumber>: TypeNumber {
  static var value: Int { Half.value * 2 }
}

/// Twice a number, and one.
enum NumberOdd<Half: TypeNumber>: TypeNumber {
  static var value: Int { Half.value * 2 + 1 }
}

/// The protocol class of one configuration.
final class NumberedStubProtocol<Number: TypeNumber>: StubProtocol, @unchecked Sendable {
  // Unchecked as its superclass is: it adds nothing.
  override class func context(of task: URLSessionTask) -> StubContext? {
    NumberedStubs.shared.entry(Number.value)?.context
  }

  override class func configuration(of task: URLSessionTask) -> URLSessionConfiguration {
    NumberedStubs.shared.entry(Number.value)?.configuration ?? .ephemeral
  }
}

/// The stubs of all configurations, by number.
final class NumberedStubs: Sendable {
  // Unchecked because a configuration is not Sendable. It is a copy that nobody changes.
  struct Entry: @unchecked Sendable {
    let context: StubContext
    let configuration: URLSessionConfiguration
  }

  static let shared = NumberedStubs()

  private let entries = Mutex<[Int: Entry]>([:])

  func entry(_ number: Int) -> Entry? { entries.withLock { $0[number] } }

  /// Returns a new class for a configuration.
  func add(_ entry: Entry) -> AnyClass {
    let number = entries.withLock { entries in
      let number = entries.count
      entries[number] = entry
      return number
    }
    return Self.protocolClass(
      number, NumberEnd.self, bit: number == 0 ? 0 : Int.bitWidth - number.leadingZeroBitCount)
  }

  private static func protocolClass<Number: TypeNumber>(
    _ number: Int, _ prefix: Number.Type, bit: Int
  ) -> AnyClass {
    guard bit > 0 else { return NumberedStubProtocol<Number>.self }
    return number >> (bit - 1) & 1 == 1
      ? protocolClass(number, NumberOdd<Number>.self, bit: bit - 1)
      : protocolClass(number, NumberEven<Number>.self, bit: bit - 1)
  }
}
#endif
