/// A fault a test asks for in place of what libcurl would answer; exists in debug builds only.
///
/// Each call that can fail passes its name through ``CurlFault/strikes(_:)``. A test arms a name, how many calls of that
/// name go well first and how many fail then, so that each out-of-memory path can be walked on purpose.
package enum CurlFault: String, Sendable {
  case makeEasy, makeMulti, setOption, addHandle, makeHeaderList, openSocket

  #if DEBUG
    private struct Plan: Sendable {
      var spared: Int
      var left: Int
    }

    private static let armed = Mutex<[CurlFault: Plan]>([:])

    /// Spares the next `spared` calls of this name and makes the `count` calls after them fail.
    package func arm(after spared: Int = 0, times count: Int = 1) {
      Self.armed.withLock { $0[self] = Plan(spared: spared, left: count) }
    }

    /// Takes back what was armed; true when all of it has struck.
    @discardableResult package static func disarm() -> Bool {
      armed.withLock { armed in
        defer { armed.removeAll() }
        return armed.values.allSatisfy { $0.left == 0 }
      }
    }

    static func strikes(_ fault: CurlFault) -> Bool {
      armed.withLock { armed in
        guard let plan = armed[fault], plan.left > 0 else { return false }
        guard plan.spared == 0 else {
          armed[fault]?.spared -= 1
          return false
        }
        armed[fault]?.left -= 1
        return true
      }
    }
  #else
    @inline(__always) static func strikes(_ fault: CurlFault) -> Bool { false }
  #endif
}

#if DEBUG
  import Synchronization
#endif
