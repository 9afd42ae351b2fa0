#if DEBUG
import Glibc
import Synchronization
#endif

/// A fault that a test injects in place of a result of SQLite or the system. It exists in debug builds only.
///
/// Each call that can fail passes its name to ``StorageFault/strikes(_:)``. A test arms a name with the number of calls
/// that succeed first and the number of calls that fail after that. A test can also have the process killed at the n-th
/// call of any name.
package enum StorageFault: String, Sendable, CaseIterable {
  case openDatabase, prepare, step, script
  case createFile, writeFile, syncFile, renameFile, syncDirectory, removeFile
  /// A new file is removed before it is locked, or another process holds a lock.
  case lockFile

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

  /// Lets the next `spared` calls of this name succeed and makes the `count` calls after them fail.
  package func arm(after spared: Int = 0, times count: Int = 1) {
    Self.state.withLock { $0.armed[self] = Plan(spared: spared, left: count) }
  }

  /// Kills this process (SIGKILL) after this many more calls of any name.
  package static func armKill(after calls: Int) { state.withLock { $0.callsToLive = calls } }

  /// Disarms all faults. Returns true if all of them have struck.
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
