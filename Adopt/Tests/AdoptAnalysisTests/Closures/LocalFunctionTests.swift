import Testing

@testable import AdoptAnalysis

struct LocalFunctionTests {
  @Test func localFunctionsMayCallEachOtherInACircle() {
    expectSilence(
      in: """
        func start(completion: ((Int) -> Void)?) {
          func again() {
            load { result in handle(result) }
          }
          func handle(_ result: Int) {
            if result > 0 {
              completion?(result)
            } else if let next = pop() {
              again()
            } else {
              completion?(result)
            }
          }
          load { result in handle(result) }
        }
        """)
  }

  @Test func aLocalFunctionThatCallsOneThatCallsIsFollowed() {
    expectFindings(
      in: """
        func start(completion: @escaping (Int) -> Void) {
          func outer() { inner() }
          func inner() { completion(1) }
          guard isReady else { return }  // expect: never
          outer()
        }
        """)
  }
}
