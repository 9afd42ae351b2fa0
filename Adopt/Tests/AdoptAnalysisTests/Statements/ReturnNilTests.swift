import Testing

@testable import AdoptAnalysis

/// `return nil` where a task was asked for.
struct ReturnNilTests {
  @Test func `nil instead of a task means that nothing was started`() {
    expectNoFindings(
      in: """
        func start(_ path: String, completion: @escaping (Int?, Error?) -> Void) -> Job? {
          guard let place = Place(path) else { return nil }
          if place.isClosed { return nil }
          return run(place, completion: completion)
        }
        func startOne(completion: @escaping () -> Void) -> Job? {
          switch state {
          case .ready: return run(completion)
          case .over: return nil
          }
        }
        """)
  }

  @Test func `other returns are still checked`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) -> Job {
          guard isOpen else { return Job() } // expect: never
          return run(completion)
        }
        func b(completion: @escaping () -> Void) -> Bool {
          if isClosed { return false }
          completion()
          return true
        }
        func c(completion: @escaping (Int) -> Void) -> Job? {
          return dataTask(with: url) { data, response, error in
            guard let data else { return } // expect: never
            completion(data.count)
          }
        }
        func d(completion: @escaping (Int) -> Void) -> Job? {
          queue.async {
            let found: Int? = {
              return nil
            }()
            guard let found else { return } // expect: never
            completion(found)
          }
          return Job()
        }
        func e() async -> Int? {
          await withCheckedContinuation { continuation in
            guard isOpen else { return } // expect: never
            continuation.resume(returning: nil)
          }
        }
        func f(completion: @escaping () -> Void) -> Job? {
          completion()
          completion() // expect: twice
          return nil
        }
        """)
  }

  @Test func `exits that only other callers understand are reported for alternatives`() {
    var options = CheckOptions()
    options.coversAlternatives = true
    expectFindings(
      in: """
        func a(_ path: String, completion: @escaping (Int) -> Void) -> Job? {
          guard let place = Place(path) else { return nil } // expect: never
          return run(place, completion: completion)
        }
        func b(completion: @escaping () -> Void) -> Bool {
          if isClosed { return false } // expect: never
          completion()
          return true
        }
        func c(completion: @escaping () -> Void) -> Job? {
          completion()
          return nil
        }
        func d(completion: @escaping () -> Void) throws {
          guard isOpen else {
            completion()
            throw Problem() // expect: after
          }
          completion()
        }
        func e(completion: @escaping () -> Void) throws {
          defer { completion() }
          try work() // expect: after
        }
        func f(completion: @escaping () -> Void) throws {
          guard isOpen else { throw Problem() }
          try work()
          completion()
        }
        func g(completion: @escaping () -> Void) throws {
          do { completion(); try work() } catch { log(error) }
        }
        """, options: options)
  }
}
