import Testing

/// `switch` and `if` as statements and as expressions, and `#if`.
struct SwitchIdiomTests {
  @Test func `missing and repeated calls in cases are found`() {
    expectFindings(
      in: """
        func byWhere(_ n: Int, completion: @escaping (Int) -> Void) {
          switch n {
          case let x where x < 0: log(x)
          case 0...9: completion(n)
          default: completion(10)
          }
        }  // expect: never
        func byTuple(_ a: Int?, _ b: Error?, completion: @escaping (Int?, Error?) -> Void) {
          switch (a, b) {
          case (let a?, nil): completion(a, nil)
          case (nil, let b?): completion(nil, b)
          case (nil, nil): completion(nil, nil)  // expect: nothing
          default: break
          }
        }  // expect: never
        func falling(_ n: Int, completion: @escaping () -> Void) {
          switch n {
          case 0:
            completion()
            fallthrough
          case 1: completion()  // expect: twice
          default: completion()
          }
        }
        func expression(_ n: Int, completion: @escaping (String) -> Void) {
          let text = switch n {
          case 0: "none"
          case 1: "one"
          default: "many"
          }
          if text == "many" { completion(text) }
        }  // expect: never
        func ifExpression(_ n: Int, completion: @escaping (String) -> Void) {
          let text: String? = if n > 0 { "some" } else { nil }
          guard let text else { return }  // expect: never
          completion(text)
        }
        func byEnum(_ state: State, completion: @escaping () -> Void) {
          switch state {
          case .idle, .done: completion()
          case .loading(let progress) where progress >= 1: completion()
          case .loading: break
          }
        }  // expect: never
        func nestedSwitch(_ a: A, completion: @escaping () -> Void) {
          switch a {
          case .one(let b):
            switch b {
            case .x: completion()
            case .y: return  // expect: never
            }
          case .two: completion()
          }
        }
        func breaking(_ n: Int, completion: @escaping () -> Void) {
          switch n {
          case 1:
            if isBusy { break }
            completion()
            return
          default: completion(); return
          }
          log("busy")
        }  // expect: never
        func conditional(completion: @escaping () -> Void) {
          #if DEBUG
            log("debug")
          #else
            completion()
          #endif
        }  // expect: never
        func conditionalCase(_ n: Int, completion: @escaping () -> Void) {
          switch n {
          #if os(macOS)
            case 1: log("one")
          #endif
          default: completion()
          }
        }  // expect: never
        func casting(_ any: Any, completion: @escaping (Int) -> Void) {
          switch any {
          case let n as Int: completion(n)
          case is String: log("text")
          default: completion(0)
          }
        }  // expect: never
        """)
  }

  @Test func `cases that all call give no findings`() {
    expectNoFindings(
      in: """
        func byWhere(_ n: Int, completion: @escaping (Int) -> Void) {
          switch n {
          case let x where x < 0: completion(-1)
          case 0...9: completion(n)
          default: completion(10)
          }
        }
        func byTuple(_ a: Int?, _ b: Error?, completion: @escaping (Int?, Error?) -> Void) {
          switch (a, b) {
          case (let a?, _): completion(a, nil)
          case (nil, let b?): completion(nil, b)
          case (nil, nil): completion(nil, Problem())
          }
        }
        func falling(_ n: Int, completion: @escaping () -> Void) {
          switch n {
          case 0: fallthrough
          case 1: completion()
          default: completion()
          }
        }
        func expression(_ n: Int, completion: @escaping (String) -> Void) {
          completion(switch n { case 0: "none"; default: "many" })
        }
        func ifExpression(_ n: Int, completion: @escaping (String) -> Void) {
          let text = if n > 0 { "some" } else { "none" }
          completion(text)
        }
        func never(_ state: State, completion: @escaping () -> Void) {
          switch state {
          case .idle: completion()
          case .broken: fatalError("cannot be")
          }
        }
        func conditional(completion: @escaping () -> Void) {
          #if DEBUG
            log("debug")
            completion()
          #else
            completion()
          #endif
        }
        func oneBranch(completion: @escaping () -> Void) {
          #if os(iOS)
            prepare()
          #endif
          completion()
        }
        func breaking(_ n: Int, completion: @escaping () -> Void) {
          switch n {
          case 1:
            if isBusy { break }
            prepare()
          default: prepare()
          }
          completion()
        }
        func choosing(_ n: Int, completion: @escaping (Int) -> Void) {
          let value: Int
          switch n {
          case 0: value = 1
          case 1:
            completion(0)
            return
          default: value = 2
          }
          completion(value)
        }
        func casting(_ any: Any, completion: @escaping (Int) -> Void) {
          switch any {
          case let n as Int: completion(n)
          case is String: completion(1)
          default: completion(0)
          }
        }
        """)
  }
}
