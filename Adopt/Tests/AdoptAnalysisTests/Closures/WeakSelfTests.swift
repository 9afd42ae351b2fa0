import Testing

struct WeakSelfTests {
  @Test func `a handler that is not called when self is nil is found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          queue.async { [weak self] in
            guard let self else { return } // expect: lost
            self.work()
            completion()
          }
        }
        func b(completion: @escaping (Int?) -> Void) {
          load { [weak self] result, error in
            guard let self = self else { return } // expect: lost
            completion(self.count)
          }
        }
        func c(completion: @escaping () -> Void) {
          queue.async { [weak self] in
            guard let strongSelf = self, strongSelf.isReady else { // the second condition is no weakness
              return // expect: lost
            }
            completion()
          }
        }
        func d(completion: @escaping () -> Void) {
          queue.async { [weak self] in
            if let self {
              self.work()
              completion()
            }
          } // expect: lost
        }
        func e(completion: @escaping () -> Void) {
          queue.async { [weak self] in
            self?.finish(completion: completion) // expect: lost
          }
        }
        func f(completion: @escaping () -> Void) {
          Task { [weak self] in
            guard self != nil else { return } // expect: lost
            completion()
          }
        }
        """)
  }

  @Test func `a handler that is called when self is nil gives no finding`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          queue.async { [weak self] in
            guard let self else { completion(); return }
            self.work()
            completion()
          }
        }
        func b(completion: @escaping () -> Void) {
          queue.async { [weak self] in
            self?.work()
            completion()
          }
        }
        func c(completion: @escaping () -> Void) {
          queue.async { [weak self] in
            defer { completion() }
            guard let self else { return }
            self.work()
          }
        }
        func d(completion: @escaping () -> Void) {
          queue.async { [unowned self] in self.work(); completion() }
        }
        func e(completion: @escaping () -> Void) {
          queue.async { [weak self] in
            if let self { self.finish(completion) } else { completion() }
          }
        }
        """)
  }
}
