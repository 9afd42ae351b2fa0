import Testing

/// Continuations that are stored where another may be waiting, and are still resumed.
struct OverwriteTests {
  @Test func `a stored continuation that is also resumed by its own name is not lost`() {
    expectNoFindings(
      in: """
        final class Scanner {
          private var waiting: CheckedContinuation<[Int], Never>?
          private var continuation: CheckedContinuation<Int, any Error>?
          func scan() async -> [Int] {
            await withCheckedContinuation { continuation in
              self.waiting = continuation
              DispatchQueue.main.asyncAfter(deadline: .now() + 3) { continuation.resume(returning: []) }
            }
          }
          func fetch() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              self.continuation = continuation
              api.load { result in continuation.resume(with: result) }
            }
          }
          func ready() async throws -> Int {
            try await withCheckedThrowingContinuation {
              continuation = $0
              if isReady { $0.resume(returning: 1) } else { queue.append($0) }
            }
          }
        }
        """)
  }

  @Test func `a stored continuation that is resumed on some paths only is lost`() {
    expectFindings(
      in: """
        final class Scanner {
          private var continuation: CheckedContinuation<Int, any Error>?
          func ready() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              self.continuation = continuation // expect: lost
              if isReady { continuation.resume(returning: 1) }
            }
          }
          func stopped() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              guard let recorder else {
                continuation.resume(throwing: Problem())
                return
              }
              self.continuation = continuation // expect: lost
              recorder.stop()
            }
          }
          func throughTheProperty() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              self.continuation = continuation // expect: lost
              start { self.continuation?.resume(returning: 1) }
            }
          }
          func throughTheWeakProperty() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              self.continuation = continuation // expect: lost
              DispatchQueue.main.async { [weak self] in self?.continuation?.resume(returning: 1) }
            }
          }
        }
        """)
  }

  @Test func `a rejected second call overwrites no continuation`() {
    expectNoFindings(
      in: """
        actor Gate {
          private var opening: CheckedContinuation<Void, Never>?
          private var waiting: Task<Void, Never>?
          func wait() async {
            if let waiting { return await waiting.value }
            let task = Task { await withCheckedContinuation { opening = $0 } }
            waiting = task
            await task.value
          }
          func open() { opening?.resume(); opening = nil }
        }
        actor Door {
          private var opening: CheckedContinuation<Void, any Error>?
          private var waiting: Task<Void, any Error>?
          func wait() async throws {
            if self.waiting != nil { throw Problem() }
            self.waiting = Task {
              defer { waiting = nil }
              try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { self.opening = $0 }
              } onCancel: { cancel() }
            }
          }
        }
        @MainActor final class Camera {
          private var photo: CheckedContinuation<Photo, any Error>?
          private var isCapturing = false
          func capture() async throws -> Photo {
            guard isOpen, !isCapturing else { throw Problem() }
            isCapturing = true
            defer { isCapturing = false }
            return try await withCheckedThrowingContinuation { continuation in
              photo = continuation
              output.capture()
            }
          }
        }
        @MainActor final class Lens {
          private var photo: CheckedContinuation<Photo, any Error>?
          private var isCapturing = false
          func capture() async throws -> Photo {
            if isCapturing { throw Problem() }
            isCapturing = true
            return try await withCheckedThrowingContinuation { photo = $0 }
          }
          func got(_ picture: Photo) {
            isCapturing = false
            photo?.resume(returning: picture)
            photo = nil
          }
        }
        """)
  }

  @Test func `a second call that may be accepted overwrites the continuation`() {
    expectFindings(
      in: """
        actor WaitsBeforeItIsSet {
          private var opening: CheckedContinuation<Void, Never>?
          private var isWaiting = false
          func wait() async {
            if isWaiting { return }
            await prepare()
            isWaiting = true
            await withCheckedContinuation { opening = $0 } // expect: lost
          }
        }
        actor SetBackByWhoeverIsTurnedAway {
          private var opening: CheckedContinuation<Void, Never>?
          private var isWaiting = false
          func wait() async {
            defer { isWaiting = false }
            if isWaiting { return }
            isWaiting = true
            await withCheckedContinuation { opening = $0 } // expect: lost
          }
        }
        actor SetBackElsewhere {
          private var opening: CheckedContinuation<Void, Never>?
          private var waiting: Task<Void, Never>?
          func wait() async {
            if let waiting { return await waiting.value }
            let task = Task { await withCheckedContinuation { opening = $0 } } // expect: lost
            waiting = task
            await task.value
          }
          func cancel() { waiting?.cancel(); waiting = nil }
        }
        actor SetBackTwice {
          private var opening: CheckedContinuation<Void, Never>?
          private var waiting: Task<Void, Never>?
          func wait() async {
            if let waiting { return await waiting.value }
            let task = Task {
              defer { waiting = nil }
              await withCheckedContinuation { opening = $0 } // expect: lost
            }
            waiting = task
            await task.value
          }
          func clear() {
            opening?.resume()
            opening = nil
            waiting = nil
          }
        }
        actor NeverSet {
          private var opening: CheckedContinuation<Void, Never>?
          private var isClosed = false
          func wait() async {
            if isClosed { return }
            await withCheckedContinuation { opening = $0 } // expect: lost
          }
        }
        actor LeftBeforeItIsSet {
          private var opening: CheckedContinuation<Void, Never>?
          private var waiting: Task<Void, Never>?
          func wait() async {
            if let waiting { return await waiting.value }
            let task = Task { await withCheckedContinuation { opening = $0 } } // expect: lost
            guard isOpen else { return }
            waiting = task
          }
        }
        actor StartsSeveral {
          private var opening: CheckedContinuation<Void, Never>?
          private var isWaiting = false
          func wait() async {
            if isWaiting { return }
            isWaiting = true
            for _ in 0..<2 {
              Task { await withCheckedContinuation { opening = $0 } } // expect: lost
            }
          }
        }
        actor StoredElsewhereToo {
          private var opening: CheckedContinuation<Void, Never>?
          private var isWaiting = false
          func wait() async {
            if isWaiting { return }
            isWaiting = true
            await withCheckedContinuation { opening = $0 } // expect: lost
          }
          func hurry() async {
            await withCheckedContinuation { opening = $0 } // expect: lost
          }
        }
        actor OpenToOthers {
          private var opening: CheckedContinuation<Void, Never>?
          var isWaiting = false
          func wait() async {
            if isWaiting { return }
            isWaiting = true
            await withCheckedContinuation { opening = $0 } // expect: lost
          }
        }
        """)
  }
}
