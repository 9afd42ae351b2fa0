import Testing

/// A handler that is passed on, stored or returned counts as called.
struct EscapingTests {
  @Test func `a handler that is passed on or stored on every path gives no finding`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          self.completion = completion
        }
        func b(completion: @escaping () -> Void) {
          pending.append(completion)
        }
        func c(completion: @escaping () -> Void) {
          waiting[key] = completion
        }
        func d(completion: @escaping () -> Void) -> () -> Void {
          return completion
        }
        func e(completion: @escaping () -> Void) {
          if ready { completion() } else { pending.append(completion) }
        }
        func f(completion: @escaping () -> Void) {
          let job = Job(completion: completion)
          job.start()
        }
        func g(completion: @escaping () -> Void) {
          let pair = (1, completion)
          use(pair)
        }
        func h(completion: @escaping () -> Void) {
          super.h(completion: completion)
        }
        func i(completion: @escaping () -> Void) {
          state = .waiting(completion)
        }
        func j(completion: (() -> Void)?) {
          completion.map { $0() }
        }
        func k(completion: @escaping () -> Void) {
          let all = [completion, other]
          all.forEach { $0() }
        }
        func l(completion: @escaping () -> Void) {
          unknown { completion() }
        }
        func m(completion: @escaping () -> Void) {
          lazy var finish: Void = completion()
          _ = finish
        }
        """)
  }

  @Test func `a handler that is not passed on or stored on every path is found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          if ready { pending.append(completion) }
        } // expect: never
        func b(completion: @escaping () -> Void) {
          guard ready else { return } // expect: never
          self.completion = completion
        }
        func c(completion: @escaping () -> Void) {
          guard ready else { return } // expect: never
          load(completion: completion)
        }
        func d(completion: @escaping () -> Void) { // expect: never
          work()
        }
        func e(completion: @escaping () -> Void) {} // expect: never
        """)
  }

  @Test func `a handler that is passed on after its call is found`() {
    expectFindings(
      in: """
        func a(completion: @escaping (Int?, Error?) -> Void) {
          if let error { completion(nil, error) }
          load(completion: completion) // expect: after
        }
        func b(completion: @escaping () -> Void) {
          if !ready {
            completion()
          }
          super.b(completion: completion) // expect: after
        }
        func c(reply: @escaping () -> Void) {
          reply()
          forward(to: other, withReply: reply) // expect: after
        }
        func d(completion: @escaping () -> Void) {
          do { try work() } catch { completion() }
          next(then: completion) // expect: after
        }
        """)
    expectNoFindings(
      in: """
        func a(completion: @escaping (Int?, Error?) -> Void) {
          if let error { completion(nil, error); return }
          load(completion: completion)
        }
        func b(completion: @escaping () -> Void) {
          completion()
          log("done")
        }
        func c(completion: @escaping () -> Void) {
          completion()
          handlers.remove(completion)
        }
        func d(completion: @escaping () -> Void) {
          if cached { completion() } else { load(completion: completion) }
        }
        """)
  }
}
