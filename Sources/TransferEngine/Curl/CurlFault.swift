/// A fault a test asks for in place of what libcurl would answer; exists in debug builds only.
///
/// Each call that can fail passes its name through ``CurlFault/strikes(_:)``. A test arms a name and a count,
/// and the call of that name fails that many times, so that out-of-memory paths can be walked on purpose.
package enum CurlFault: String, Sendable {
  case makeEasy, makeMulti, setOption, addHandle, makeHeaderList

  #if DEBUG
    private static let armed = Mutex<[CurlFault: Int]>([:])

    /// Makes the next `count` calls of this name fail.
    package func arm(times count: Int = 1) {
      Self.armed.withLock { $0[self] = count }
    }

    /// Takes back what was armed and has not struck.
    package static func disarm() {
      armed.withLock { $0.removeAll() }
    }

    static func strikes(_ fault: CurlFault) -> Bool {
      armed.withLock { armed in
        guard let left = armed[fault], left > 0 else { return false }
        armed[fault] = left - 1
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
