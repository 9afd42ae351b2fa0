import Foundation

/// How often tests kill a program. `KENNEL_KILLS` sets another number for a long run.
package enum KillCount {
  package static func value(normally count: Int) -> Int {
    ProcessInfo.processInfo.environment["KENNEL_KILLS"].flatMap { Int($0) } ?? count
  }
}
