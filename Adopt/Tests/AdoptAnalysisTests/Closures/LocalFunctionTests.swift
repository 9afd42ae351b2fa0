import Testing

@testable import AdoptAnalysis

struct LocalFunctionTests {
  @Test func `local functions that call each other recursively give no finding`() {
    expectNoFindings(
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

  @Test func `a local function that calls the handler through another one is followed`() {
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
