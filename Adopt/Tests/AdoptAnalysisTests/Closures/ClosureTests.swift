import Testing

@testable import AdoptAnalysis

/// Closures that are followed, and closures that are assumed to be correct.
struct ClosureTests {
  @Test func `missing and repeated calls in closures on queues are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          DispatchQueue.main.async {
            if ready { completion() }
          } // expect: never
        }
        func b(completion: @escaping () -> Void) {
          queue.asyncAfter(deadline: .now()) { completion() }
          completion() // expect: twice
        }
        func c(completion: @escaping () -> Void) {
          queue.sync {
            guard ready else { return } // expect: never
            completion()
          }
        }
        func d(completion: @escaping () -> Void) {
          operations.addOperation {
            work()
            DispatchQueue.main.async {
              guard ready else { return } // expect: never
              completion()
            }
          }
        }
        func e(completion: @escaping () -> Void) {
          Task {
            await work()
            await MainActor.run {
              if ready { completion() }
            } // expect: never
          }
        }
        func f(completion: @escaping () -> Void) {
          Task { @MainActor in
            completion()
            completion() // expect: twice
          }
        }
        func g(completion: @escaping () -> Void) {
          context.performAndWait {
            if ready { return } // expect: never
            completion()
          }
        }
        func i(completion: @escaping () -> Void) {
          group.notify(queue: .main) { if ready { completion() } } // expect: never
        }
        """)
  }

  @Test func `correct calls in closures on queues give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          DispatchQueue.main.async { completion() }
        }
        func b(completion: @escaping () -> Void) {
          DispatchQueue.main.async(execute: completion)
        }
        func c(completion: @escaping () -> Void) {
          DispatchQueue.global().async {
            let x = work()
            DispatchQueue.main.async { completion(); log(x) }
          }
        }
        func d(completion: @escaping () -> Void) {
          guard ready else {
            queue.async { completion() }
            return
          }
          queue.async { completion() }
        }
        func e(completion: @escaping () -> Void) {
          Task { await work(); completion() }
        }
        func f(completion: @escaping () -> Void) {
          Task { await MainActor.run { completion() } }
        }
        func g(completion: @escaping () -> Void) {
          for x in xs { group.enter(); load(x) { group.leave() } }
          group.notify(queue: .main) { completion() }
        }
        func h(completion: @escaping () -> Void) {
          MainActor.assumeIsolated { completion() }
        }
        func i(completion: @escaping () -> Void) {
          lock.withLock { work() }
          completion()
        }
        func j(completion: @escaping () -> Void) {
          queue.async(group: group, qos: .utility) { [self] in completion() }
        }
        func k(completion: @escaping () -> Void) {
          queue.async { [completion] in completion() }
        }
        func l(completion: @escaping () -> Void) {
          queue.async { [done = completion] in done() }
        }
        func m(completion: @escaping () -> Void) {
          let isOver = state.withLock { state in
            if state.isOver { return true }
            state.waiting.append(completion)
            return false
          }
          if isOver { completion() }
        }
        func n(completion: @escaping () -> Void) {
          if queue.sync(execute: { if ready { completion(); return true }; return false }) { return }
          completion()
        }
        """)
  }

  @Test func `missing and repeated calls in nested handlers are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping (Int?, Error?) -> Void) {
          URLSession.shared.dataTask(with: url) { data, response, error in
            if let error { completion(nil, error); return }
            guard let data else { return } // expect: never
            completion(data.count, nil)
          }.resume()
        }
        func b(completion: @escaping (Int?) -> Void) {
          load(completion: { value in
            if value > 1 { completion(value) }
          }) // expect: never
        }
        func c(completion: @escaping (Int?) -> Void) {
          api.fetch(1) { result in
            switch result {
            case .success(let x): completion(x)
            case .failure: break
            }
          } // expect: never
        }
        func d(completion: @escaping () -> Void) {
          UIView.animate(withDuration: 1, animations: { move() }, completion: { _ in
            if ready { completion() }
          }) // expect: never
        }
        func e(completion: @escaping () -> Void) {
          load(completion: { completion() })
          completion() // expect: twice
        }
        func f(completion: @escaping () -> Void) {
          helper { if ready { completion() } } // expect: never
        }
        func helper(completion: @escaping () -> Void) { completion() }
        func g(completion: @escaping (Int?) -> Void) {
          first { value, error in
            guard error == nil else { completion(nil); return }
            second { other, error in
              guard error == nil else { return } // expect: never
              completion(value)
            }
          }
        }
        func h(completion: @escaping () -> Void) {
          load(success: { completion() }, failure: { _ in log() }) // expect: never
        }
        func i(completion: @escaping () -> Void) {
          Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in if ready { completion() } } // expect: never
        }
        """)
  }

  @Test func `correct calls in nested handlers give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping (Int?, Error?) -> Void) {
          URLSession.shared.dataTask(with: url) { data, response, error in
            if let error { return completion(nil, error) }
            guard let data else { return completion(nil, Problem()) }
            completion(data.count, nil)
          }.resume()
        }
        func b(completion: @escaping (Int?) -> Void) {
          load(completion: completion)
        }
        func c(completion: @escaping (Int?) -> Void) {
          load { x in completion(x) }
        }
        func d(completion: @escaping () -> Void) {
          center.addObserver(forName: name) { note in if ready { completion() } }
        }
        func e(completion: @escaping (Int) -> Void) {
          publisher.sink(receiveCompletion: { _ in }, receiveValue: { completion($0) })
        }
        func f(completion: @escaping () -> Void) {
          alert.addAction(Action(title: "OK", handler: { _ in completion() }))
          alert.addAction(Action(title: "Cancel", handler: { _ in completion() }))
        }
        func g(completion: @escaping () -> Void) {
          load(success: { completion() }, failure: { _ in completion() })
        }
        func h(completion: @escaping () -> Void) {
          self.onFinish = { completion() }
        }
        func i(completion: @escaping () -> Void) {
          let job = Job { completion() }
          job.start()
        }
        func j(completion: @escaping (Int?) -> Void) {
          present(other, animated: true) { completion(1) }
        }
        func k(completion: @escaping (Int?) -> Void) {
          first { value, error in
            guard error == nil else { completion(nil); return }
            second { other, error in completion(other) }
          }
        }
        func l(completion: @escaping () -> Void) {
          load { (completion: () -> Void) in completion() }
          completion()
        }
        """)
  }

  @Test func `the list of functions that call once can be extended`() {
    let text = """
      func a(completion: @escaping () -> Void) {
        ourQueue.enqueue {
          guard ready else { return }
          completion()
        }
      }
      """
    expectNoFindings(in: text)
    var options = CheckOptions()
    options.callsOnce = ["enqueue"]
    let findings = check(ParsedFile(path: "a.swift", text: text), options: options).findings
    #expect(findings.map(\.kind) == [.never])
  }

  @Test func `missing and repeated calls in local functions are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          func finish() { completion() }
          if ready { finish() }
        } // expect: never
        func b(completion: @escaping () -> Void) {
          func finish() {
            guard ready else { return } // expect: never
            completion()
          }
          finish()
        }
        func c(completion: @escaping () -> Void) {
          let finish = { completion() } // expect: twice
          finish()
          finish()
        }
        func d(completion: @escaping (Int) -> Void) {
          let finish: (Int) -> Void = { value in DispatchQueue.main.async { completion(value) } }
          guard ready else { return } // expect: never
          finish(1)
        }
        func e(completion: @escaping () -> Void) {
          work()
          func finish() { completion() }
        } // expect: never
        func f(completion: @escaping () -> Void) {
          let done = completion
          done()
          completion() // expect: twice
        }
        """)
  }

  @Test func `correct calls in local functions give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          func finish() { completion() }
          if ready { finish() } else { finish() }
        }
        func b(completion: @escaping () -> Void) {
          let finish = { completion() }
          guard ready else { return finish() }
          work()
          finish()
        }
        func c(completion: @escaping () -> Void) {
          func step(_ n: Int) { if n == 0 { completion() } else { step(n - 1) } }
          step(3)
        }
        func d(completion: @escaping () -> Void) {
          func finish() { completion() }
          queue.async(execute: finish)
        }
        func e(completion: @escaping () -> Void) {
          var called = false
          func finish() { if called { return }; called = true; completion() }
          work(finish)
          finish()
        }
        func f(completion: @escaping () -> Void) {
          func inner(completion: @escaping () -> Void) { completion() }
          inner(completion: completion)
        }
        func g(completion: @escaping () -> Void) {
          struct Local { func completion() {} }
          Local().completion()
          completion()
        }
        """)
  }

  @Test func `closures of generic types and functions with arguments are followed`() {
    expectFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          Task<Void, Never> {
            guard ready else { return } // expect: never
            completion()
          }
        }
        func b(completion: @escaping () -> Void) {
          let task = Task<Void, any Error>.detached {
            try await work() // expect: never
            completion()
          }
        }
        """)
    expectNoFindings(
      in: """
        func a(completion: @escaping () -> Void) {
          Task<Void, Never> { completion() }
        }
        """)
  }
}
