import AdoptAnalysis
import Foundation
import Testing

@testable import AdoptTwins

/// Twins of subscriptions, and twins that packages with older systems, queues and access levels need.
struct StreamTests {
  private func text(_ source: String, _ options: TwinOptions = TwinOptions()) -> String {
    let file = ParsedFile(path: "a.swift", text: source)
    return applying(twins(in: file, options: options).edits(of: file), to: source)
  }

  private func reasons(_ source: String) -> [String] {
    twins(in: ParsedFile(path: "a.swift", text: source)).declined.map(\.reason)
  }

  @Test func `a subscription with a token becomes a stream`() {
    let source = """
      final class Bus {
        private var handlers: [Int: (Event) -> Void] = [:]
        func addListener(for name: String, handler: @escaping (Event) -> Void) -> Int {
          handlers[1] = handler
          return 1
        }
        func removeListener(_ id: Int) { handlers[id] = nil }
      }
      """
    let result = text(source)
    #expect(
      result.contains(
        """
          func addListener(for name: String) -> AsyncStream<Event> {
            AsyncStream { continuation in
              let subscription = addListener(for: name) { value in
                continuation.yield(value)
              }
              continuation.onTermination = { _ in
                self.removeListener(subscription)
              }
            }
          }
        """), "\(result)")
    #expect(!result.contains("async"))
    #expect(text(result) == result)
  }

  @Test func `a subscription that starts and stops becomes a stream`() {
    let result = text(
      """
      final class Motion {
        func startUpdates(handler: @escaping (Double) -> Void) { source.add(handler) }
        func stopUpdates() {}
      }
      """)
    #expect(result.contains("func startUpdates() -> AsyncStream<Double> {"), "\(result)")
    #expect(result.contains("self.stopUpdates()"))
  }

  @Test func `what a second function stops is a subscription`() {
    let result = text(
      """
      final class Compass {
        private var heading: ((Double) -> Void)?
        func startHeading(_ handler: @escaping (Double) -> Void) { heading = handler }
        func stopHeading() { heading = nil }
      }
      """)
    #expect(result.contains("func startHeading() -> AsyncStream<Double> {"), "\(result)")
    #expect(result.contains("self.stopHeading()"))
  }

  @Test func `a handler for only one outcome gets no twin`() {
    #expect(
      reasons(
        """
        func whenSuccess(_ callback: @escaping (Int) -> Void) {
          whenComplete { if case .success(let value) = $0 { callback(value) } }
        }
        """) == [
          "its name 'whenSuccess' says that it only calls its handler in one of several cases"
        ])
  }

  @Test func `a subscription of results becomes a throwing stream`() {
    let result = text(
      """
      func observe(_ key: String, handler: @escaping (Result<Int, Error>) -> Void) -> AnyCancellable { make(handler) }
      """)
    #expect(
      result.contains("func observe(_ key: String) -> AsyncThrowingStream<Int, any Error> {"),
      "\(result)")
    #expect(result.contains("subscription.cancel()"))
  }

  @Test(arguments: [
    "func on(_ event: Event, handler: @escaping (Value) -> Void) { list.append(handler) }",
    "func observe(handler: @escaping (Value) -> Void) {}",
    "func addListener(callback: @escaping (Value) -> Void) {}",
    "func subscribe(to topic: String, handler: @escaping (Value) -> Void) {}",
    "func startScanning(handler: @escaping (Value) -> Void) { scanner.start(handler) }",
    "func handleEvents(handler: @escaping (Value) -> Void) {}",
    "func addCancellationHandler(_ handler: @escaping () -> Void) {}",
    "/// Calls the handler whenever the value changes.\nfunc battery(handler: @escaping (Value) -> Void) {}",
    "func values(handler: @escaping (Value) -> Void) { for value in all { handler(value) } }",
    "class A { var callback: (() -> Void)?\nfunc start(callback: @escaping () -> Void) { self.callback = callback }\nfunc fire() { callback?() } }",
  ])
  func `a subscription without a visible end is declined`(source: String) {
    let found = reasons(source)
    #expect(found.count == 1 && found[0].contains("for each event"), "\(found)")
    #expect(!text(source).contains("withChecked"))
  }

  @Test(arguments: [
    "func subscribe(to topic: String, completion: @escaping (Error?) -> Void) { api.send(topic, completion: completion) }",
    "func register(_ name: String, handler: @escaping (Bool) -> Void) { api.send(name) { handler($0) } }",
    "func load(handler: @escaping (Data) -> Void) { queue.async { handler(data) } }",
    "class A { var waiting: [() -> Void] = []\nfunc wait(completion: @escaping () -> Void) { waiting.append(completion) }\nfunc done() { let all = waiting; waiting = []; all.forEach { $0() } } }",
  ])
  func `a function that calls once gets an async function`(source: String) {
    #expect(text(source).contains("async"), "\(reasons(source))")
  }

  @Test func `twins of packages with older systems say where they are available`() {
    var options = TwinOptions()
    options.marksAvailability = true
    let mark = "@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)\n"
    #expect(
      text("func load(completion: @escaping (Int) -> Void) {}", options).contains(
        mark + "func load() async -> Int"))
    let newer =
      "@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)\nfunc load(completion: @escaping (Int) -> Void) {}"
    #expect(!text(newer, options).contains(mark))
  }

  @Test(arguments: [
    ("@available(macOS 10.14.4, *)", "@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)"),
    ("@available(iOS 15, *)", "@available(macOS 10.15, iOS 15, tvOS 13, watchOS 6, *)"),
    ("@available(OSX 11, visionOS 1, *)", "@available(macOS 11, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)"),
  ])
  func `a twin requires the newer ones of its function's and Swift concurrency's systems`(
    own: String, expected: String
  ) {
    var options = TwinOptions()
    options.marksAvailability = true
    let function = "func load(completion: @escaping (Int) -> Void) {}"
    let result = text("\(own)\n\(function)\n", options)
    #expect(result.contains("\n\(expected)\nfunc load() async -> Int {"), "\(result)")
    let inType = text("\(own) final class Loader {\n  \(function)\n}\n", options)
    #expect(inType.contains("\n  \(expected)\n  func load() async -> Int {"), "\(inType)")
    options.marksAvailability = false
    #expect(text("\(own)\n\(function)\n", options).contains("\(own)\nfunc load() async -> Int {"))
  }

  @Test func `only functions of the wanted access level get twins`() {
    let source = """
      public func first(completion: @escaping (Int) -> Void) {}
      package func second(completion: @escaping (Int) -> Void) {}
      func third(completion: @escaping (Int) -> Void) {}
      """
    var options = TwinOptions()
    for (level, count) in [(AccessLevel.public, 1), (.package, 2), (.all, 3)] {
      options.access = level
      #expect(twins(in: ParsedFile(path: "a.swift", text: source), options: options).twins.count == count)
    }
  }

  @Test func `the queue of the callback is left out`() {
    let result = text(
      """
      /// - Parameters:
      ///   - name: The name.
      ///   - queue: The queue
      ///     of the callback.
      ///   - completion: Called at the end
      ///   or earlier.
      /// - Note: Fast.
      func load(_ name: String, queue: DispatchQueue = .main, completion: @escaping (Int) -> Void) {}
      """)
    #expect(result.contains("func load(_ name: String) async -> Int {"), "\(result)")
    #expect(result.contains("load(name) { value in"))
    let twin = result.components(separatedBy: "completion: @escaping (Int) -> Void) {}").last ?? ""
    #expect(
      twin.contains("/// - Note: Fast.") && !twin.contains("queue") && !twin.contains("earlier"), "\(twin)")
  }

  @Test func `the end of a block comment stays`() {
    let result = text(
      """
      /**
       Loads.
       - Parameter completion: Called
         at the end. */
      func load(completion: @escaping (Int) -> Void) {}
      """)
    #expect(result.components(separatedBy: "*/").count == 3, "\(result)")
    #expect(!result.contains("hasError"))
  }
}
