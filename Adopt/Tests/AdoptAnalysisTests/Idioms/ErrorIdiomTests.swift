import Testing

/// `do` with several patterns, typed throws, `Result`, `try?`, `try!` and `defer`.
struct ErrorIdiomTests {
  @Test func `errors that leave without calling the handler are found`() {
    expectFindings(
      in: """
        func several(completion: @escaping (Int?) -> Void) {
          do {
            completion(try read())
          } catch Problem.missing, Problem.closed {
            completion(nil)
          } catch let error as NetworkError where error.isTransient {
            retry()
          } catch {
            completion(nil)
          }
        }  // expect: never
        func typed(completion: @escaping () -> Void) throws(Problem) {
          do throws(Problem) {
            try open()
          } catch {
            completion()
            throw error
          }
          guard isOpen else { throw .closed }
          log("open")
        }  // expect: never
        func rethrown(completion: @escaping (Error?) -> Void) {
          do {
            try open()
            completion(nil)
            try close()
          } catch {
            completion(error)  // expect: twice
          }
        }
        func tasked(completion: @escaping (Int) -> Void) {
          Task {
            let value = try await read()  // expect: never
            await MainActor.run { completion(value) }
          }
        }
        func detached(completion: @escaping (Result<Int, Error>) -> Void) {
          Task.detached(priority: .utility) {
            do {
              completion(.success(try await read()))
            } catch is CancellationError {
              log("cancelled")
            } catch {
              completion(.failure(error))
            }
          }  // expect: never
        }
        func optionalTry(completion: @escaping (Data) -> Void) {
          if let data = try? Data(contentsOf: url) { completion(data) }
        }  // expect: never
        func forcedTry(completion: @escaping (Data) -> Void) {
          let data = try! Data(contentsOf: url)
          if data.isEmpty { log("empty") } else { completion(data) }
        }  // expect: never
        func nestedDo(completion: @escaping () -> Void) {
          do {
            do { try first() } catch Problem.missing { return }  // expect: never
            try second()
            completion()
          } catch { completion() }
        }
        func resultOf(completion: @escaping (Result<Int, Error>) -> Void) {
          load { result in
            do {
              let value = try result.get()
              guard value > 0 else { return }  // expect: never
              completion(.success(value))
            } catch { completion(.failure(error)) }
          }
        }
        func mapped(completion: @escaping (Result<Int, Error>) -> Void) {
          load { result in
            if case .failure(let error) = result { completion(.failure(error)) }
            completion(result.map { $0 + 1 })  // expect: twice
          }
        }
        func successOnly(completion: @escaping (Result<Int, Error>) -> Void) {
          load { result in
            guard case .success(let value) = result else { return }  // expect: never
            completion(.success(value))
          }
        }
        func nestedResults(completion: @escaping (Result<Int, Error>) -> Void) {
          first { result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let id):
              second(id) { result in
                switch result {
                case .failure: log("second failed")
                case .success(let value): completion(.success(value))
                }
              }  // expect: never
            }
          }
        }
        func deferred(completion: @escaping () -> Void) {
          defer { completion() }  // expect: twice
          guard isReady else {
            completion()
            return
          }
          work()
        }
        func deferredIf(completion: @escaping () -> Void) {
          defer { if isReady { completion() } }
          work()
        }  // expect: never
        func deferredLate(completion: @escaping () -> Void) {
          guard isReady else { return }  // expect: never
          defer { completion() }
          work()
        }
        func deferredInBranch(completion: @escaping () -> Void) {
          if isReady {
            defer { completion() }
            work()
          }
        }  // expect: never
        func cancelled(completion: @escaping (Int?) -> Void) {
          load { value, error in
            if error is CancellationError { return }  // expect: never
            completion(value)
          }
        }
        """)
  }

  @Test func `errors that reach the handler give no findings`() {
    expectNoFindings(
      in: """
        func several(completion: @escaping (Int?) -> Void) {
          do {
            completion(try read())
          } catch Problem.missing, Problem.closed {
            completion(0)
          } catch let error as NetworkError where error.isTransient {
            retry(completion: completion)
          } catch {
            completion(nil)
          }
        }
        func typed(completion: @escaping () -> Void) throws(Problem) {
          guard isOpen else { throw .closed }
          completion()
        }
        func tasked(completion: @escaping (Result<Int, Error>) -> Void) {
          Task {
            do {
              let value = try await read()
              await MainActor.run { completion(.success(value)) }
            } catch {
              await MainActor.run { completion(.failure(error)) }
            }
          }
        }
        func result(completion: @escaping (Result<Int, Error>) -> Void) {
          completion(Result { try read() })
        }
        func resultOf(completion: @escaping (Result<Int, Error>) -> Void) {
          load { result in completion(result.flatMap { value in Result { try parse(value) } }) }
        }
        func optionalTry(completion: @escaping (Data?) -> Void) {
          completion(try? Data(contentsOf: url))
        }
        func forcedTry(completion: @escaping (Data) -> Void) {
          completion(try! Data(contentsOf: url))
        }
        func thrown(completion: @escaping () -> Void) {
          do {
            guard isReady else { throw Problem() }
            try work()
          } catch {
            log(error)
          }
          completion()
        }
        func nestedDo(completion: @escaping () -> Void) {
          do {
            do { try first() } catch Problem.missing { throw Problem() }
            completion()
          } catch { completion() }
        }
        func deferred(completion: @escaping () -> Void) {
          defer { completion() }
          guard isReady else { return }
          do { try work() } catch { return }
        }
        func deferredInClosure(completion: @escaping () -> Void) {
          queue.async {
            defer { completion() }
            guard isReady, let next = queue.first else { return }
            next.run()
          }
        }
        func deferredTwice(completion: @escaping () -> Void) {
          defer { log("left") }
          defer { completion() }
          work()
        }
        func nestedResults(completion: @escaping (Result<Int, Error>) -> Void) {
          first { result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let id): second(id) { completion($0) }
            }
          }
        }
        func ifCase(completion: @escaping (Int) -> Void) {
          load { result in
            guard case .success(let value) = result else { return completion(0) }
            completion(value)
          }
        }
        func got(completion: @escaping (Int?, Error?) -> Void) {
          load { result in
            do { completion(try result.get(), nil) } catch { completion(nil, error) }
          }
        }
        func fatal(completion: @escaping () -> Void) {
          guard isReady else { preconditionFailure("not ready") }
          completion()
        }
        """)
  }
}
