import Testing

@testable import AdoptAnalysis

/// Fix-its that add a missing call.
struct MissingCallTests {
  /// Applies the fix-its one after the other.
  private func repaired(_ text: String) -> String {
    var text = text
    for _ in 0..<8 {
      let findings = check(ParsedFile(path: "a.swift", text: text)).findings
      guard let fixIt = findings.first(where: { !$0.fixIts.isEmpty })?.fixIts.first else { break }
      var bytes = Array(text.utf8)
      for edit in fixIt.edits.reversed() {
        bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
      }
      text = String(decoding: bytes, as: UTF8.self)
    }
    return text
  }

  private func advice(_ text: String) -> [String] {
    let findings = check(ParsedFile(path: "a.swift", text: text)).findings
    #expect(!findings.contains { !$0.fixIts.isEmpty })
    return findings.compactMap { $0.advice?.message }
  }

  @Test func `a call is added before a return`() {
    #expect(
      repaired(
        """
        func load(completion: @escaping (Int?) -> Void) {
          guard isReady else { return }
          fetch { result in
            switch result {
            case .success(let value): completion(value)
            case .failure:
              log()
              return
            }
          } completion: { value in completion(value) }
        }
        """
      ).contains("guard isReady else { completion(nil); return }"))
    #expect(
      repaired(
        """
        func load(completion: @escaping (Result<Int, any Error>) -> Void) {
          do {
            completion(.success(try read()))
          } catch let problem {
            log(problem)
            return
          }
        }
        """) == """
          func load(completion: @escaping (Result<Int, any Error>) -> Void) {
            do {
              completion(.success(try read()))
            } catch let problem {
              log(problem)
              completion(.failure(problem))
              return
            }
          }
          """)
  }

  @Test func `a call is added at the end of a branch`() {
    #expect(
      repaired(
        """
        func load(completion: ((Int?, Error?) -> Void)?) {
          DispatchQueue.main.async {
            if let error = self.error {
              log(error)
            } else {
              completion?(1, nil)
            }
          }
        }
        """) == """
          func load(completion: ((Int?, Error?) -> Void)?) {
            DispatchQueue.main.async {
              if let error = self.error {
                log(error)
                completion?(nil, error)
              } else {
                completion?(1, nil)
              }
            }
          }
          """)
    #expect(
      repaired(
        """
        func value() async throws -> Int {
          try await withCheckedThrowingContinuation { continuation in
            switch result {
            case .success(let value): continuation.resume(returning: value)
            case .failure(let error): break
            }
          }
        }
        """
      ).contains("case .failure(let error): continuation.resume(throwing: error)"))
  }

  @Test func `a call is added before an error leaves a task`() {
    #expect(
      repaired(
        """
        func load(completion: @escaping (Result<Int, Error>) -> Void) {
          Task {
            guard isReady else { throw Problem.closed }
            completion(.success(1))
          }
        }
        """
      ).contains("{ completion(.failure(Problem.closed)); throw Problem.closed }"))
  }

  @Test func `a call without arguments that several returns skip is deferred`() {
    let text = """
      func load(completion: @escaping () -> Void) {
        guard isReady else { return }
        if isDone {
          return
        }
        work()
        completion()
      }
      """
    #expect(
      repaired(text) == """
        func load(completion: @escaping () -> Void) {
          defer { completion() }
          guard isReady else { return }
          if isDone {
            return
          }
          work()
        }
        """)
    #expect(
      repaired(
        """
        func load(completion: @escaping () -> Void) {
          guard isReady else { return }
          completion()
        }
        """
      ).contains("{ completion(); return }"))
  }

  @Test func `a call is not deferred if its name is bound later or an error may leave the function`() {
    let bound = repaired(
      """
      func load(completion: (() -> Void)?) {
        guard isReady else { return }
        guard let completion else { return }
        if isDone { return }
        work()
        completion()
      }
      """)
    #expect(!bound.contains("defer"), "\(bound)")
    let throwing = repaired(
      """
      func load(completion: @escaping () -> Void) throws {
        guard isReady else { return }
        if isDone { return }
        try work()
        completion()
      }
      """)
    #expect(!throwing.contains("defer"), "\(throwing)")
    #expect(throwing.contains("if isDone { completion(); return }"), "\(throwing)")
  }

  @Test func `values that are not known are placeholders`() {
    #expect(
      advice(
        """
        func load(completion: @escaping (Result<Int, any Error>) -> Void) {
          guard isReady else { return }
          completion(.success(1))
        }
        """) == ["add a call, such as 'completion(<#Result<Int, any Error>#>)'"])
    #expect(
      advice(
        """
        func load(completion: @escaping (Int, Error?) -> Void) {
          do { completion(try read(), nil) } catch { return }
        }
        """) == ["add a call, such as 'completion(<#Int#>, <#Error?#>)'"])
    #expect(
      advice(
        """
        func load(completion: @escaping (Result<Int, Problem>) -> Void) {
          do { completion(.success(try read())) } catch { return }
        }
        """) == ["add a call, such as 'completion(<#Result<Int, Problem>#>)'"])
  }

  @Test func `a call that would be the second on another path is not added`() {
    #expect(
      advice(
        """
        func load(completion: @escaping (Int?, Error?) -> Void) {
          if let error = self.error {
            log(error)
          }
          if isReady { completion(1, nil) }
        }
        """) == ["add a call, such as 'completion(<#Int?#>, <#Error?#>)'"])
  }
}
