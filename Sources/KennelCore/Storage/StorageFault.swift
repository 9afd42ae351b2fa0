#if DEBUG
  import Glibc
  import Synchronization
#endif

/// A fault a test asks for in place of what SQLite or the system would answer; exists in debug builds only.
///
/// Each call that can fail passes its name through ``StorageFault/strikes(_:)``. A test arms a name, how many calls of
/// that name go well first and how many fail then; or it has the process killed at the n-th call of any name.
package enum StorageFault: String, Sendable, CaseIterable {
  case openDatabase, prepare, step, script
  case createFile, writeFile, syncFile, renameFile, syncDirectory, removeFile

  #if DEBUG
    private struct Plan: Sendable {
      var spared: Int
      var left: Int
    }

    private struct State: Sendable {
      var armed: [StorageFault: Plan] = [:]
      var callsToLive: Int?
    }

    private static let state = Mutex(State())

    /// Spares the next `spared` calls of this name and makes the `count` calls after them fail.
    package func arm(after spared: Int = 0, times count: Int = 1) {
      Self.state.withLock { $0.armed[self] = Plan(spared: spared, left: count) }
    }

    /// Kills this process (SIGKILL) when this many more calls of any name have been made.
    package static func armKill(after calls: Int) { state.withLock { $0.callsToLive = calls } }

    /// Takes back what was armed; true when all of it has struck.
    @discardableResult package static func disarm() -> Bool {
      state.withLock { state in
        defer { state = State() }
        return state.armed.values.allSatisfy { $0.left == 0 }
      }
    }

    static func strikes(_ fault: StorageFault) -> Bool {
      state.withLock { state in
        if let calls = state.callsToLive {
          if calls <= 0 { kill(getpid(), SIGKILL) }
          state.callsToLive = calls - 1
        }
        guard let plan = state.armed[fault], plan.left > 0 else { return false }
        guard plan.spared == 0 else {
          state.armed[fault]?.spared -= 1
          return false
        }
        state.armed[fault]?.left -= 1
        return true
      }
    }
  #else
    @inline(__always) static func strikes(_ fault: StorageFault) -> Bool { false }
  #endif
}
