import Testing

/// `throw`, `try`, `do` and `catch`.
struct ErrorTests {
  @Test func `missing and repeated calls with errors are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          do {
            try work()
            completion()
          } catch {
            log(error)
          }
        } // expect: never
        func b(completion: @escaping () -> Void) {
          do {
            try work()
            completion()
            try more()
          } catch {
            completion() // expect: twice
          }
        }
        func c(completion: @escaping () -> Void) {
          do {
            try work()
          } catch {
            completion()
          }
          completion() // expect: twice
        }
        func d(completion: @escaping () -> Void) {
          do {
            try work()
            completion()
          } catch Problem.one {
            return // expect: never
          } catch {
            completion()
          }
        }
        func e(completion: @escaping () -> Void) {
          guard let x = try? work() else { return } // expect: never
          use(x)
          completion()
        }
        func f(completion: @escaping (Int?, Error?) -> Void) {
          Task {
            let x = try await work() // expect: never
            completion(x, nil)
          }
        }
        func g(completion: @escaping () -> Void) {
          Task {
            do {
              try await work()
              completion()
            } catch is CancellationError {
              return // expect: never
            } catch {
              completion()
            }
          }
        }
        func h(completion: @escaping () -> Void) {
          Task {
            guard ready else { throw Problem() } // expect: never
            completion()
          }
        }
        func i(completion: @escaping () -> Void) {
          do {
            guard ready else { throw Problem() }
            completion()
          } catch { log(error) }
        } // expect: never
        func j(completion: @escaping () -> Void) {
          do { try a(); completion() } catch let error as Problem { log(error) } catch { completion() }
        } // expect: never
        func k(completion: @escaping () -> Void) {
          Task.detached {
            let values = try await (first(), second()) // expect: never
            use(values)
            completion()
          }
        }
        """)
  }

  @Test func `errors that are handled give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping (Int?, Error?) -> Void) {
          do {
            let x = try work()
            completion(x, nil)
          } catch {
            completion(nil, error)
          }
        }
        func b(completion: @escaping () -> Void) throws {
          try work()
          completion()
        }
        func c(completion: @escaping () -> Void) throws {
          guard ready else { throw Problem() }
          completion()
        }
        func d(completion: @escaping () -> Void) {
          try? work()
          completion()
        }
        func e(completion: @escaping () -> Void) {
          try! work()
          completion()
        }
        func f(completion: @escaping (Int?, Error?) -> Void) {
          Task {
            do {
              completion(try await work(), nil)
            } catch {
              completion(nil, error)
            }
          }
        }
        func g(completion: @escaping () -> Void) {
          do {
            try work()
          } catch Problem.one {
            completion()
            return
          } catch {
            log(error)
          }
          completion()
        }
        func h(completion: @escaping () -> Void) {
          do {
            do { try work() } catch Problem.one { throw Problem.two }
            completion()
          } catch { completion() }
        }
        func i(completion: @escaping (Result<Int, Error>) -> Void) {
          completion(Result { try work() })
        }
        func j(completion: @escaping () -> Void) {
          defer { completion() }
          guard let x = try? work() else { return }
          use(x)
        }
        func k(completion: @escaping () -> Void) {
          do { throw Problem() } catch { completion() }
        }
        """)
  }

  @Test func `a catch that casts to any error catches all errors`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping (Result<Int, Error>) -> Void) {
          Task {
            do { completion(.success(try await work())) } catch let error as NSError {
              completion(.failure(error))
            }
          }
        }
        func b(completion: @escaping (Result<Int, Error>) -> Void) {
          Task {
            do {
              completion(.success(try await work()))
            } catch is CancellationError {
              completion(.failure(Problem()))
            } catch var error as any Swift.Error {
              completion(.failure(error))
            }
          }
        }
        func c(completion: @escaping (Result<Int, Error>) -> Void) {
          Task {
            do { completion(.success(try await work())) } catch let error as Error {
              completion(.failure(error))
            }
          }
        }
        """)
  }

  @Test func `other casts only catch some errors`() {
    expectFindings(
      in: """
        enum Error: Swift.Error { case broken }
        func a(completion: @escaping (Int) -> Void) {
          Task {
            do { completion(try await work()) } catch let error as Error { completion(0) } // expect: never
          }
        }
        func b(completion: @escaping (Int) -> Void) {
          Task {
            do { completion(try await work()) } catch let error as URLError { completion(0) } // expect: never
          }
        }
        func c(completion: @escaping (Int) -> Void) {
          Task {
            do { completion(try await work()) } catch let error as NSError where error.code == 1 {
              completion(0)
            } // expect: never
          }
        }
        """)
  }
}
