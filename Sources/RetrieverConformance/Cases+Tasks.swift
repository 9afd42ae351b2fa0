import Foundation
import TestSupport

extension ConformanceSuite {
  static let tasks: [ConformanceCase] = lives + changes

  private static let lives: [ConformanceCase] =
    held(
      .tasks, "tasks-suspend", "Each suspend needs a resume.", .suspendingTwice,
      expecting: "running", "suspended", "suspended", "suspended", "running", "status 200")
    + held(
      .tasks, "tasks-states", "A task is suspended, then running, then completed.", .states,
      expecting: "suspended", "completed", "completed")
    + held(
      .tasks, "tasks-all", "A session lists the tasks that have not ended.", .allTasks, expecting: "3 tasks",
      "0 tasks")
    + held(
      .tasks, "tasks-by-kind", "A session lists tasks by kind.", .tasksByKind, expecting: "1 data",
      "1 upload",
      "1 download")
    + [
      plain(
        .tasks, "tasks-identifiers", "Tasks of a session have different identifiers.", .identifiers,
        "different"),
      ConformanceCase(.tasks, "tasks-properties", "Description and priority remain.") { context in
        let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
        try await context.play(
          .taskProperties, at: origin, expecting: ["dog 0.75", "dog 0.75"])
      },
    ]
    + each(.tasks, "tasks-progress", "The progress of a finished task is complete.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(body: Data(repeating: 7, count: 100_000)) }
      try await context.play(
        .progress, at: origin,
        expecting: ["fraction 1.0", "sent 5 of 5", "received 100000 of 100000"])
    }

  private static let changes: [ConformanceCase] =
    each(.tasks, "tasks-upload-request", "An upload does not change the original request.") { context in
      let (origin, server) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(.uploadRequest, at: origin, expecting: ["GET", "status 200"])
      try expect(server.requests.map(\.text) == ["photo"], "The body is \(server.requests.map(\.text)).")
    }
    + each(.tasks, "tasks-redirected-request", "A redirect changes only the current request.") { context in
      let (origin, _) = try context.serveHTTP { request in
        request.path == "/from" ? .redirect(to: "/to") : Reply(text: "hello")
      }
      try await context.play(.redirectedRequest, at: origin, expecting: ["/from", "/to"])
    }
    + each(.tasks, "tasks-begin-date", "A task does not begin before its earliest date.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(.earliestBegin, at: origin, expecting: ["later", "status 200"])
    }
    + each(.tasks, "tasks-delayed-request", "A delegate may change a delayed request.") { context in
      let (origin, server) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(.delayedRequest, at: origin, expecting: ["asked", "status 200"])
      try expect(server.requests.map(\.path) == ["/changed"], "Requests: \(server.requests.map(\.path)).")
    }
    + [
      plain(
        .tasks, "tasks-configuration", "A session has its own copy of its configuration.",
        .configurationCopies,
        "30.0"),
      ConformanceCase(.tasks, "tasks-shared", "The shared session cannot be invalidated.") { context in
        let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
        try await context.play(.sharedSession, at: origin, expecting: ["hello"])
      },
      ConformanceCase(.tasks, "tasks-finish", "An invalidated session completes its tasks first.") {
        context in
        let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
        try await context.play(.finishingTasks, at: origin, expecting: ["status 200", "invalid"])
      },
    ]
    + each(.proxies, "proxy-configured", "The configuration's proxy is used.") { context in
      let proxy = try ScriptedProxy()
      context.keep(proxy.server)
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(.configuredProxy, at: origin, expecting: ["status 200"]) {
        $0.proxy = ("127.0.0.1", Int(proxy.port), [])
      }
      try expect(proxy.questions.count == 1, "The proxy received \(proxy.questions).")
    }
    + each(.proxies, "proxy-exception", "The configuration's exceptions are loaded directly.") { context in
      let proxy = try ScriptedProxy()
      context.keep(proxy.server)
      let (origin, server) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(.proxyException, at: origin, expecting: ["status 200"]) {
        $0.proxy = ("127.0.0.1", Int(proxy.port), ["localhost", "127.0.0.1"])
      }
      try expect(proxy.questions.isEmpty, "The proxy received \(proxy.questions).")
      try expect(server.requests.count == 1, "The server received \(server.requests.count) requests.")
    }

  /// A case without a server.
  static func plain(
    _ area: Area, _ id: String, _ title: String, _ scenario: Scenario, _ expected: String...
  ) -> ConformanceCase {
    ConformanceCase(area, id, title) { try await $0.play(scenario, expecting: expected) }
  }

  /// Cases whose server answers `/held` only after another request.
  static func held(
    _ area: Area, _ id: String, _ title: String, _ scenario: Scenario, expecting expected: String...
  ) -> [ConformanceCase] {
    each(area, id, title) { context in
      let release = Gate()
      let (origin, _) = try context.serve { connection in
        while let request = try connection.nextRequest() {
          if request.path == "/held" { try connection.wait(for: release) } else { release.open() }
          try connection.send(Reply(text: "hello"))
        }
      }
      try await context.play(scenario, at: origin, expecting: expected)
    }
  }
}
