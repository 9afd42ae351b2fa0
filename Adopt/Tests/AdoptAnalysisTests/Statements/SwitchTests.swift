import Testing

struct SwitchTests {
  @Test func `missing and repeated calls in switches are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          switch state {
          case .one: completion()
          case .two: log()
          }
        } // expect: never
        func b(completion: @escaping () -> Void) {
          switch state {
          case .one: completion()
          default: break
          }
        } // expect: never
        func c(completion: @escaping () -> Void) {
          switch state {
          case .one:
            completion()
            fallthrough
          case .two:
            completion() // expect: twice
          }
        }
        func d(completion: @escaping () -> Void) {
          switch state {
          case .one: completion()
          default: completion()
          }
          completion() // expect: twice
        }
        func e(result: Result<Int, Error>, completion: @escaping (Int?, Error?) -> Void) {
          switch result {
          case .success(let value): completion(value, nil)
          case .failure(let error): log(error)
          }
        } // expect: never
        func f(completion: @escaping () -> Void) {
          switch state {
          case .one where ready: completion()
          case .one: return // expect: never
          case .two: completion()
          }
        }
        func g(completion: @escaping () -> Void) {
          switch state {
          case .one:
            if ready { break }
            completion()
          case .two: completion()
          }
        } // expect: never
        func h(completion: @escaping () -> Void) {
          switch state {
          #if os(Linux)
          case .one: log()
          #endif
          case .two: completion()
          }
        } // expect: never
        func i(flag: Bool, completion: @escaping () -> Void) {
          switch state {
          case .one where flag: completion()
          default: if flag { completion() }
          }
        } // expect: never
        """)
  }

  @Test func `correct calls in switches give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          switch state {
          case .one: completion()
          case .two: completion()
          }
        }
        func b(completion: @escaping () -> Void) {
          switch state {
          case .one: fallthrough
          case .two: completion()
          }
        }
        func c(completion: @escaping () -> Void) {
          switch state {
          case .one: break
          default: completion(); return
          }
          completion()
        }
        func d(result: Result<Int, Error>, completion: @escaping (Int?, Error?) -> Void) {
          switch result {
          case .success(let value): completion(value, nil)
          case .failure(let error): completion(nil, error)
          }
        }
        func e(completion: @escaping () -> Void) {
          switch state {
          case .one where ready: completion()
          case .one, .two: completion()
          @unknown default: fatalError()
          }
        }
        func f(completion: @escaping () -> Void) {
          switch completion(){
          default: break
          }
        }
        func g(completion: @escaping () -> Void) {
          outer: switch state {
          case .one:
            switch other {
            case 1: break outer
            default: break
            }
          case .two: break
          }
          completion()
        }
        func h(completion: @escaping () -> Void) {
          switch (a, b) {
          case (1, let x) where x > 2: completion()
          case let (y, 2): use(y); completion()
          case is Int: completion()
          default: completion()
          }
        }
        """)
  }
}
