import Testing

/// `if`, `guard`, conditions and what they bind.
struct BranchTests {
  @Test func `missing and repeated calls in if statements are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          if ready {
            completion()
          }
        } // expect: never
        func b(completion: @escaping () -> Void) {
          if ready { return } // expect: never
          completion()
        }
        func c(completion: @escaping () -> Void) {
          if ready {
            completion()
          }
          completion() // expect: twice
        }
        func d(completion: @escaping () -> Void) {
          if ready { completion() } else if steady { work() } else { completion() }
        } // expect: never
        func e(completion: @escaping () -> Void) {
          if ready { completion() } else { completion() }
          if steady { completion() } // expect: twice
        }
        func f(completion: @escaping () -> Void) {
          if ready && steady { completion() }
        } // expect: never
        func g(completion: @escaping (Int?, Error?) -> Void) {
          if let error { completion(nil, error) }
          completion(1, nil) // expect: twice
        }
        func h(completion: @escaping () -> Void) {
          if case .ready = state { return completion() }
        } // expect: never
        func i(completion: @escaping () -> Void) {
          if #available(macOS 15, *) { completion() }
        } // expect: never
        func j(completion: @escaping () -> Void) {
          if ready { if steady { completion() } else { log() } } else { completion() }
        } // expect: never
        func k(flag: Bool, completion: @escaping () -> Void) {
          if flag { completion() }
          if flag { completion() } // expect: twice
        } // expect: never
        func l(completion: @escaping () -> Void) {
          if ready, !steady || go { completion() }
          else if go { completion(); return }
        } // expect: never
        """)
  }

  @Test func `correct calls in if statements give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          if ready { completion() } else { completion() }
        }
        func b(completion: @escaping () -> Void) {
          if ready { completion(); return }
          completion()
        }
        func c(flag: Bool, completion: @escaping () -> Void) {
          if flag { completion() }
          if !flag { completion() }
        }
        func d(error: Error?, completion: @escaping (Int?, Error?) -> Void) {
          if let error { completion(nil, error) }
          if error == nil { completion(1, nil) }
        }
        func e(error: Error?, completion: @escaping (Int?, Error?) -> Void) {
          if error != nil { completion(nil, error); return }
          completion(1, nil)
        }
        func f(completion: @escaping () -> Void) {
          if ready { completion() } else if steady { completion() } else { completion() }
        }
        func g(completion: @escaping () -> Void) {
          if #available(macOS 15, *) { completion() } else { completion() }
        }
        func h(completion: @escaping () -> Void) {
          if case .ready = state { return completion() }
          completion()
        }
        func i(flag: Bool, completion: @escaping () -> Void) {
          if flag == true { completion() } else if flag == false { completion() }
        }
        func j(completion: @escaping () -> Void) {
          if (ready) { if steady { completion() } else { completion() } } else { completion() }
        }
        func k(flag: Bool, completion: @escaping () -> Void) {
          if flag && other { completion(); return }
          if !(flag) { completion() } else { completion() }
        }
        func l(completion: @escaping () -> Void) {
          let text = if ready { "yes" } else { "no" }
          log(text)
          completion()
        }
        func m(value: Int?, completion: @escaping () -> Void) {
          if let value { use(value); completion() }
          guard value == nil else { return }
          completion()
        }
        """)
  }

  @Test func `missing and repeated calls with guard statements are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          guard ready else { return } // expect: never
          completion()
        }
        func b(completion: @escaping () -> Void) {
          guard let value = find() else {
            log()
            return // expect: never
          }
          use(value)
          completion()
        }
        func c(completion: @escaping () -> Void) {
          guard ready else { completion(); return }
          guard steady else { return } // expect: never
          completion()
        }
        func d(completion: @escaping () -> Void) {
          guard case .ready(let x) = state, x > 1 else { return } // expect: never
          completion()
        }
        func e(completion: @escaping () -> Void) {
          completion()
          guard ready else { completion(); return } // expect: twice
        }
        func f(completion: @escaping () -> Void) {
          guard #available(macOS 15, *) else { return } // expect: never
          completion()
        }
        func g(completion: @escaping () -> Void) -> Bool {
          guard ready else { return false }
          completion()
          return true
        }
        func h(completion: ((Int?) -> Void)?) {
          guard completion != nil else { return }
          guard ready else { return } // expect: never
          completion?(1)
        }
        """)
  }

  @Test func `correct calls with guard statements give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          guard ready else { completion(); return }
          completion()
        }
        func b(completion: @escaping () -> Void) {
          guard ready else { return completion() }
          completion()
        }
        func c(completion: (() -> Void)?) {
          guard let completion else { return }
          completion()
        }
        func d(completion: (() -> Void)?) {
          guard let done = completion else { return }
          done()
        }
        func e(completion: @escaping () -> Void) {
          guard ready else { fatalError() }
          completion()
        }
        func f(completion: @escaping () -> Void) throws {
          guard ready else { throw Problem() }
          completion()
        }
        func g(completion: @escaping () -> Void) {
          for x in xs {
            guard x.isGood else { continue }
            use(x)
          }
          completion()
        }
        func h(value: Int?, completion: @escaping () -> Void) {
          guard let value = value else { completion(); return }
          use(value)
          completion()
        }
        """)
  }

  @Test func `optional handlers are checked`() {
    expectFindings(
      in: """
        func a(completion: (() -> Void)?) {
          if ready { completion?() }
        } // expect: never
        func b(completion: (() -> Void)?) {
          completion?()
          completion?() // expect: twice
        }
        func c(completion: (() -> Void)?) {
          if let completion {
            if ready { completion() }
          }
        } // expect: never
        func d(completion: (() -> Void)? = nil) {
          completion!()
          if completion != nil { completion!() } // expect: twice
        }
        """)
    expectNoFindings(
      in: """
        func a(completion: (() -> Void)?) {
          completion?()
        }
        func b(completion: (() -> Void)?) {
          if let completion { completion() }
        }
        func c(completion: (() -> Void)?) {
          if completion == nil { return }
          completion!()
        }
        func d(completion: (() -> Void)? = nil) {
          if let done = completion { done() } else { log() }
        }
        func e(completion: (() -> Void)?) {
          guard let completion = completion else { log(); return }
          work()
          completion()
        }
        func f(completion: (() -> Void)!) {
          completion()
        }
        func h(completion: (() -> Void)?) {
          if ready, let completion { completion(); return }
          completion?()
        }
        """)
  }

  @Test func `calls in expressions are checked`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          ready ? completion() : log()
        } // expect: never
        func b(completion: @escaping (Int) -> Void) {
          let x = if ready { 1 } else { 2 }
          if x == 1 { completion(x) }
        } // expect: never
        func c(completion: @escaping (Int) -> Bool) {
        }
        func d(completion: Optional<() -> Void>) { // expect: never
          work()
        }
        func e(completion: @escaping () -> Void) {
          { completion() }()
          completion() // expect: twice
        }
        func f(completion: @escaping () -> Void) {
          (completion)()
          completion.callAsFunction() // expect: twice
        }
        """)
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          ready ? completion() : completion()
        }
        func b(completion: @escaping (Int) -> Void) {
          completion(ready ? 1 : 2)
        }
        func c(completion: @escaping (Result<Int, Error>) -> Void) {
          completion(Result { try compute() })
        }
        func d(completion: @escaping () -> Void) {
          { completion() }()
        }
        func e(completion: @escaping () -> Void) {
          completion.callAsFunction()
        }
        func f(completion: @escaping (String) -> Void) {
          completion("\\(ready) \\(other ?? "")")
        }
        func g(completion: @escaping () -> Void) {
          _ = ready ? schedule(completion) : completion()
        }
        """)
  }

  @Test func `methods with the name of a function that never returns do return`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          guard session.isOpen else { request.abort(); return } // expect: never
          completion()
        }
        func b(completion: @escaping () -> Void) {
          reader.exit()
          if isReady { completion() }
        } // expect: never
        func c(exit: () -> Void, completion: @escaping () -> Void) {
          guard ready else { exit(); return } // expect: never
          completion()
        }
        """)
    expectFindings(
      in: """
        final class Request {
          func abort() { isAborted = true }
          func a(completion: @escaping () -> Void) {
            guard isOpen else { abort(); return } // expect: never
            completion()
          }
        }
        """)
  }

  @Test func `functions that never return end the path`() {
    expectNoFindings(
      in: """
        func fail() -> Never { fatalError() }
        func a(completion: @escaping () -> Void) {
          guard ready else { Foundation.exit(1) }
          completion()
        }
        func b(completion: @escaping () -> Void) {
          guard ready else { abort() }
          completion()
        }
        func c(completion: @escaping () -> Void) {
          guard ready else { fail() }
          completion()
        }
        func d(completion: @escaping () -> Void) {
          guard ready else { Log.fail() }
          completion()
        }
        """)
  }
}
