import Foundation
import TestSupport

extension ConformanceSuite {
  static let delegates: [ConformanceCase] =
    each(.delegates, "delegates-order", "A delegate gets progress, response, data, metrics and the end.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(
        .delegateOrder, at: origin, expecting: ["sent", "response 200", "data", "metrics", "complete"])
    }
    + each(.delegates, "delegates-created", "A delegate gets each new task.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(.createdTask, at: origin, expecting: ["created", "complete"])
    }
    + each(.delegates, "delegates-refused", "A delegate may refuse a response.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(.refusedResponse, at: origin, expecting: ["response 200", "complete -999"])
    }
    + held(
      .delegates, "delegates-late", "Data wait for the answer to the response.", .lateDisposition,
      expecting: "response 200", "other load", "allowed", "data", "complete")
    + each(.delegates, "delegates-become", "A data task may become a download task.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(
        .becomingDownload, at: origin,
        expecting: ["response 200", "became download", "file hello", "complete"])
    }
    + each(.delegates, "delegates-download", "A download's delegate gets the progress and the file.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in
        Reply(body: Data(repeating: UInt8(ascii: "a"), count: 300_000))
      }
      try await context.play(
        .downloadDelegate, at: origin,
        expecting: ["counts rise to 300000 of 300000", "file of 300000", "complete", "file removed"])
    }
    + each(.delegates, "delegates-informational", "A delegate gets informational responses.") { context in
      let (origin, _) = try context.serve(
        [
          .readRequest, .send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"),
          .send(Reply(text: "hello")),
        ])
      try await context.play(
        .informationalResponse, at: origin, expecting: ["informational 103", "complete"])
    }
    + each(.delegates, "delegates-queue", "Delegates and handlers are called on the session's queue.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(
        .delegateQueue, at: origin, expecting: ["delegate on queue", "handler on queue"])
    }
    + each(.delegates, "delegates-queue-order", "Calls do not overtake the program's work on the queue.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      try await context.play(
        .queueOrder, at: origin, expecting: ["response 200", "program's work", "data", "complete"])
    }
}
