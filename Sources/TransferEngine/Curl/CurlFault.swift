/// A fault that a test injects in place of libcurl's result. It exists in debug builds only.
///
/// Each call that can fail passes its name to ``CurlFault/shouldFail(_:)``. A test arms a name, and sets how many calls
/// of that name succeed first and how many fail then. This way, tests can exercise every out-of-memory path.
package enum CurlFault: String, Sendable {
  case makeEasy, makeMulti, setOption, addHandle, makeHeaderList, openSocket

  #if DEBUG
  private struct Plan: Sendable {
    var remainingSuccesses: Int
    var remainingFailures: Int
  }

  private static let armed = Mutex<[CurlFault: Plan]>([:])

  /// Lets the next `successes` calls of this name succeed and makes the `count` calls after them fail.
  package func arm(after successes: Int = 0, times count: Int = 1) {
    Self.armed.withLock { $0[self] = Plan(remainingSuccesses: successes, remainingFailures: count) }
  }

  /// Removes all armed faults. Returns true if all of them have occurred.
  @discardableResult package static func disarm() -> Bool {
    armed.withLock { armed in
      defer { armed.removeAll() }
      return armed.values.allSatisfy { $0.remainingFailures == 0 }
    }
  }

  static func shouldFail(_ fault: CurlFault) -> Bool {
    armed.withLock { armed in
      guard let plan = armed[fault], plan.remainingFailures > 0 else { return false }
      guard plan.remainingSuccesses == 0 else {
        armed[fault]?.remainingSuccesses -= 1
        return false
      }
      armed[fault]?.remainingFailures -= 1
      return true
    }
  }
  #else
  @inline(__always) static func shouldFail(_ fault: CurlFault) -> Bool { false }
  #endif
}

#if DEBUG
import Synchronization
#endif
