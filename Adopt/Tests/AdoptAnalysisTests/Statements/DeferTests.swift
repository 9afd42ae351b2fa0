import Testing

struct DeferTests {
  @Test func `missing and repeated calls with defer are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          defer { completion() } // expect: twice
          if ready { completion() }
        }
        func b(completion: @escaping () -> Void) {
          guard ready else { return } // expect: never
          defer { completion() }
          work()
        }
        func c(completion: @escaping () -> Void) {
          do {
            defer { completion() }
            work()
          }
          completion() // expect: twice
        }
        func d(completion: @escaping () -> Void) {
          for x in xs {
            defer { completion() } // expect: twice
            use(x)
          }
        } // expect: never
        func e(completion: @escaping () -> Void) {
          defer { if ready { completion() } }
          work()
        } // expect: never
        func f(completion: @escaping () -> Void) {
          defer { log() }
          if ready { return } // expect: never
          completion()
        }
        func g(completion: @escaping () -> Void) {
          defer { completion() } // expect: twice
          defer { completion() }
          work()
        }
        """)
  }

  @Test func `correct calls with defer give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          defer { completion() }
          guard ready else { return }
          for x in xs { if x { return } }
          work()
        }
        func b(completion: @escaping () -> Void) {
          DispatchQueue.main.async {
            defer { completion() }
            if ready { return }
            work()
          }
        }
        func c(completion: @escaping () -> Void) throws {
          defer { completion() }
          try work()
        }
        func d(completion: @escaping () -> Void) {
          var success = false
          defer { if success { completion() } }
          if ready { success = true; return }
          completion()
        }
        func e(completion: @escaping () -> Void) {
          defer { lock.unlock() }
          completion()
        }
        func f(completion: @escaping () -> Void) {
          while ready { defer { work() }; if steady { break } }
          completion()
        }
        """)
  }
}
