import Foundation

/// A condition that must hold, with a name that describes it.
struct Check: Sendable {
  let name: String
  let body: @Sendable () async throws -> Void

  init(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.body = body
  }
}

struct Unexpected: Error, CustomStringConvertible {
  let description: String
}

func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
  if !condition { throw Unexpected(description: otherwise()) }
}

func expectEqual<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws {
  try expect(found == wanted, "\(what) is \(found), not \(wanted)")
}

/// Runs the checks one after another and returns how many failed.
func run(_ checks: [Check]) async -> Int {
  var failures = 0
  for check in checks {
    do {
      try await check.body()
      print("passed: \(check.name)")
    } catch {
      failures += 1
      print("FAILED: \(check.name): \(error)")
    }
  }
  print("\(checks.count - failures) passed, \(failures) failed")
  return failures
}
