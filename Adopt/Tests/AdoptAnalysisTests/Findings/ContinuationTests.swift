import Testing

struct ContinuationTests {
  @Test func `missing and repeated resumes are found`() {
    expectFindings(
      in: """
        func a() async -> Int {
          await withCheckedContinuation { continuation in
            if ready { continuation.resume(returning: 1) }
          } // expect: never
        }
        func b() async throws -> Int {
          try await withCheckedThrowingContinuation { continuation in
            load { value, error in
              if let error { continuation.resume(throwing: error) }
              continuation.resume(returning: value) // expect: twice
            }
          }
        }
        func c() async {
          await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            guard ready else { return } // expect: never
            continuation.resume()
          }
        }
        func d() async throws {
          try await withUnsafeThrowingContinuation { c in
            load { result in
              switch result {
              case .success: c.resume()
              case .failure: break
              }
            } // expect: never
          }
        }
        func e() async {
          await withCheckedContinuation {
            $0.resume()
            $0.resume() // expect: twice
          }
        }
        func f() async {
          await withCheckedContinuation { continuation in // expect: never
            work()
          }
        }
        func g() async throws {
          try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
              queue.async { if ready { continuation.resume() } } // expect: never
            }
          } onCancel: { stop() }
        }
        let value = await withCheckedContinuation { continuation in
          for x in xs { continuation.resume(returning: x) } // expect: twice
        } // expect: never
        """)
  }

  @Test func `continuations that are resumed once give no findings`() {
    expectNoFindings(
      in: """
        func a() async -> Int {
          await withCheckedContinuation { continuation in
            load { value in continuation.resume(returning: value) }
          }
        }
        func b() async throws -> Int {
          try await withCheckedThrowingContinuation { continuation in
            load { continuation.resume(with: $0) }
          }
        }
        func c() async throws {
          try await withCheckedThrowingContinuation { continuation in
            load(completion: continuation.resume)
          }
        }
        func d() async {
          await withCheckedContinuation { continuation in
            waiting.append(continuation)
          }
        }
        func e() async throws {
          try await withCheckedThrowingContinuation { continuation in
            do { try work(); continuation.resume() } catch { continuation.resume(throwing: error) }
          }
        }
        func f() async {
          await withCheckedContinuation { continuation in
            state.withLock { $0.waiters.append(continuation) }
          }
        }
        func g() async -> Int {
          await withCheckedContinuation {
            $0.resume(returning: [1, 2].map { $0 + 1 }.count)
          }
        }
        func h() async throws {
          try await withCheckedThrowingContinuation { continuation in
            start { error in
              if let error { continuation.resume(throwing: error); return }
              continuation.resume()
            }
          }
        }
        """)
  }

  @Test func `stored continuations that are overwritten or resumed twice are found`() {
    expectFindings(
      in: """
        class A {
          var continuation: CheckedContinuation<Int, Error>?
          func a() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              self.continuation = continuation // expect: lost
              start()
            }
          }
          func b() {
            continuation?.resume(returning: 1)
            if ready { continuation?.resume(returning: 2) } // expect: twice
          }
        }
        actor B {
          private var waiter: UnsafeContinuation<Void, Never>? = nil
          func a() async {
            await withUnsafeContinuation { waiter = $0 } // expect: lost
          }
          func b() async {
            await withUnsafeContinuation { c in
              work()
              self.waiter = c // expect: lost
            }
          }
          func c() {
            self.waiter?.resume()
            waiter?.resume() // expect: twice
          }
        }
        """)
  }

  @Test func `stored continuations that are not overwritten give no findings`() {
    expectNoFindings(
      in: """
        class A {
          var continuation: CheckedContinuation<Int, Error>?
          func a() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              self.continuation?.resume(throwing: CancellationError())
              self.continuation = continuation
            }
          }
          func b() async throws -> Int {
            precondition(continuation == nil)
            return try await withCheckedThrowingContinuation { c in continuation = c }
          }
          func c() async throws -> Int {
            guard self.continuation == nil else { throw Problem() }
            return try await withCheckedThrowingContinuation { self.continuation = $0 }
          }
          func d() {
            continuation?.resume(returning: 1)
            continuation = nil
            continuation?.resume(returning: 1)
          }
          func e() {
            if ready { continuation?.resume(returning: 1) } else { continuation?.resume(returning: 2) }
            continuation = nil
          }
          func f() {
            let waiting = continuation
            continuation = nil
            waiting?.resume(returning: 1)
          }
          func g() {
            if let continuation { self.continuation = nil; continuation.resume(returning: 1) }
          }
        }
        final class B {
          var continuation: CheckedContinuation<Int, Error>? {
            didSet { oldValue?.resume(throwing: CancellationError()) }
          }
          var many: [CheckedContinuation<Int, Error>] = []
          init(_ continuation: CheckedContinuation<Int, Error>) { self.continuation = continuation }
          func a() async throws -> Int {
            try await withCheckedThrowingContinuation { self.continuation = $0 }
          }
          func b() async throws -> Int {
            try await withCheckedThrowingContinuation { many.append($0) }
          }
        }
        """)
  }
}
