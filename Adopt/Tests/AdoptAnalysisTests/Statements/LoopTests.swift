import Testing

struct LoopTests {
  @Test func `missing and repeated calls in loops are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping (Int) -> Void) {
          for x in xs {
            completion(x) // expect: twice
          }
        } // expect: never
        func b(completion: @escaping () -> Void) {
          while ready {
            completion() // expect: twice
          }
        } // expect: never
        func c(completion: @escaping () -> Void) {
          repeat {
            completion() // expect: twice
          } while ready
        }
        func d(completion: @escaping (Int) -> Void) {
          for x in xs where x > 1 {
            completion(x)
            return
          }
        } // expect: never
        func e(completion: @escaping (Int) -> Void) {
          for x in xs {
            if x > 1 { completion(x); break }
          }
        } // expect: never
        func f(completion: @escaping (Int) -> Void) {
          for x in xs {
            if x > 1 { completion(x); break }
          }
          completion(0) // expect: twice
        }
        func g(completion: @escaping () -> Void) {
          outer: for x in xs {
            for y in ys {
              if x == y { continue outer }
              if x < y { break outer }
              completion()
              return
            }
          }
        } // expect: never
        func h(completion: @escaping () -> Void) {
          while true {
            if ready { break }
            if steady { completion(); return }
          }
        } // expect: never
        func i(completion: @escaping () -> Void) {
          xs.forEach { x in
            completion() // expect: twice
          }
        } // expect: never
        func j(completion: @escaping () -> Void) {
          while let x = next() {
            if x { completion(); return }
          }
        } // expect: never
        func k(completion: @escaping () -> Void) async {
          for await x in stream {
            if x { completion() } // expect: twice
          }
        } // expect: never
        func l(completion: @escaping () -> Void) {
          while true {
            completion() // expect: twice
          }
        }
        """)
  }

  @Test func `correct calls in loops give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          for x in xs { use(x) }
          completion()
        }
        func b(completion: @escaping (Int) -> Void) {
          for x in xs {
            if x > 1 { completion(x); return }
          }
          completion(0)
        }
        func c(completion: @escaping () -> Void) {
          while true {
            if ready { completion(); return }
          }
        }
        func d(completion: @escaping () -> Void) {
          while true {
            if ready { completion(); break }
          }
        }
        func e(completion: @escaping () -> Void) {
          repeat { work() } while ready
          completion()
        }
        func f(completion: @escaping () -> Void) {
          repeat { completion() } while false
        }
        func g(completion: @escaping () -> Void) {
          outer: while ready {
            while steady { if go { break outer } else { continue outer } }
          }
          completion()
        }
        func h(completion: @escaping () -> Void) {
          var done = false
          while !done {
            if ready { completion(); done = true }
          }
        }
        func i(completion: @escaping () -> Void) {
          var called = false
          for x in xs {
            if x > 1, !called { completion(); called = true }
          }
          if !called { completion() }
        }
        func j(completion: @escaping () -> Void) {
          xs.forEach { use($0) }
          completion()
        }
        func k(completion: @escaping (Int) -> Void) {
          let sum = xs.map { x in return x + 1 }.reduce(0) { return $0 + $1 }
          completion(sum)
        }
        """)
  }
}
