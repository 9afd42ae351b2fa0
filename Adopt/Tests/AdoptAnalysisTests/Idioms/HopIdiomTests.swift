import Testing

/// Queues, tasks, `weak self`, local functions and closures within closures.
struct HopIdiomTests {
  @Test func `missing and repeated calls after switching queues or tasks are found`() {
    expectFindings(
      in: """
        func ignored(_ url: URL, completion: @escaping (Image?) -> Void) {
          loadImage(url) { image, _ in
            guard let image else { return }  // expect: never
            completion(image)
          }
        }
        func ignoredThree(_ url: URL, completion: @escaping (Data) -> Void) {
          download(url) { data, response, _ in
            if let data { completion(data) }
          }  // expect: never
        }
        func weakLocal(completion: @escaping () -> Void) {
          let finish = { [weak self] in
            guard let self else { return }  // expect: lost
            self.end()
            completion()
          }
          let fail = { [weak self] in
            self?.fail(completion: completion)  // expect: lost
          }
          if isReady { finish() } else { queue.async { fail() } }
        }
        func mainHop(completion: @escaping (Int) -> Void) {
          DispatchQueue.global(qos: .utility).async {
            let sum = add()
            DispatchQueue.main.async {
              if sum > 0 { completion(sum) }
            }  // expect: never
          }
        }
        func weakHop(completion: @escaping () -> Void) {
          DispatchQueue.main.async { [weak self] in
            guard let self, self.isVisible else { return }  // expect: lost
            self.reload()
            completion()
          }
        }
        func weakTask(completion: @escaping (Int) -> Void) {
          Task { @MainActor [weak self] in
            guard let count = await self?.count() else { return }  // expect: never
            completion(count)
          }
        }
        func later(completion: @escaping () -> Void) {
          DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
            guard isVisible else { return }  // expect: never
            completion()
          }
        }
        func animated(completion: @escaping (Bool) -> Void) {
          UIView.animate(withDuration: 0.3) {
            move()
          } completion: { isFinished in
            if isFinished { completion(true) }
          }  // expect: never
        }
        func operation(completion: @escaping () -> Void) {
          OperationQueue.main.addOperation {
            if isCancelled { return }  // expect: never
            completion()
          }
        }
        func actorHop(completion: @escaping () -> Void) {
          Task {
            await MainActor.run {
              guard isVisible else { return }  // expect: never
              completion()
            }
          }
        }
        func locked(completion: @escaping () -> Void) {
          lock.withLock {
            guard isOpen else { return }  // expect: never
            completion()
          }
        }
        func nestedFunction(completion: @escaping (Int) -> Void) {
          func finish(_ value: Int) {
            guard value > 0 else { return }  // expect: never
            completion(value)
          }
          DispatchQueue.main.async { finish(1) }
        }
        func nestedHandler(completion: @escaping (Int) -> Void) {
          func inner(_ done: @escaping (Result<Int, Error>) -> Void) {
            if isOpen { done(.success(1)) }
          }  // expect: never
          inner { result in completion((try? result.get()) ?? 0) }
        }
        func twoLevels(completion: @escaping (Int?, Error?) -> Void) {
          first { a, error in
            guard let a, error == nil else { completion(nil, error); return }
            second(a) { b, error in
              if let error { completion(nil, error) }
              third(b) { c, error in
                completion(c, error)  // expect: twice
              }
            }
          }
        }
        func handed(completion: @escaping (Int) -> Void) {
          if let known { completion(known) }
          load(completion: completion)  // expect: after
        }
        func handedOn(completion: @escaping (Int) -> Void) {
          queue.async {
            if let known { completion(known) }
            load(id, completionHandler: completion)  // expect: after
          }
        }
        func immediate(completion: @escaping () -> Void) {
          let value = {
            guard isOpen else { return 0 }
            return 1
          }()
          if value == 1 { completion() }
        }  // expect: never
        func blockOperation(completion: @escaping () -> Void) {
          queue.addOperation { [completion] in
            completion()
            completion()  // expect: twice
          }
        }
        """)
  }

  @Test func `correct calls after switching queues or tasks give no findings`() {
    expectNoFindings(
      in: """
        func ignored(_ url: URL, completion: @escaping (Image?) -> Void) {
          loadImage(url) { image, _ in completion(image) }
        }
        func unknownCloser(completion: @escaping (Int) -> Void) {
          enumerateItems { item, _ in
            guard item.isLast else { return }
            completion(item.id)
          }
        }
        func loadsMany(completion: @escaping (Int) -> Void) {
          loader.onProgress { done, _ in if done == 1 { completion(1) } }
        }
        func weakLocal(completion: @escaping () -> Void) {
          let finish = { [weak self] in
            self?.end()
            completion()
          }
          if isReady { finish() } else { queue.async { finish() } }
        }
        func mainHop(completion: @escaping (Int) -> Void) {
          DispatchQueue.global(qos: .utility).async {
            let sum = add()
            DispatchQueue.main.async { completion(sum) }
          }
        }
        func onMain(completion: @escaping () -> Void) {
          if Thread.isMainThread { completion() } else { DispatchQueue.main.async(execute: completion) }
        }
        func weakHop(completion: @escaping () -> Void) {
          DispatchQueue.main.async { [weak self] in
            defer { completion() }
            guard let self, self.isVisible else { return }
            self.reload()
          }
        }
        func later(completion: @escaping () -> Void) {
          DispatchQueue.main.asyncAfter(deadline: .now() + 1, execute: completion)
        }
        func animated(completion: @escaping (Bool) -> Void) {
          UIView.animate(withDuration: 0.3, animations: { move() }, completion: completion)
        }
        func animatedIf(_ isAnimated: Bool, completion: @escaping () -> Void) {
          guard isAnimated else { return completion() }
          UIView.animate(withDuration: 0.3) { move() } completion: { _ in completion() }
        }
        func locked(completion: @escaping () -> Void) {
          let waiting = lock.withLock { takeAll() }
          waiting.forEach { $0() }
          completion()
        }
        func nestedFunction(completion: @escaping (Int) -> Void) {
          func finish(_ value: Int) { DispatchQueue.main.async { completion(value) } }
          load { result in
            switch result {
            case .success(let value): finish(value)
            case .failure: finish(0)
            }
          }
        }
        func nestedHandler(completion: @escaping (Int) -> Void) {
          func inner(_ done: @escaping (Result<Int, Error>) -> Void) { done(.success(1)) }
          inner { result in completion((try? result.get()) ?? 0) }
        }
        func twoLevels(completion: @escaping (Int?, Error?) -> Void) {
          first { a, error in
            guard let a, error == nil else { return completion(nil, error ?? Problem()) }
            second(a) { b, error in completion(b, error) }
          }
        }
        func made(completion: @escaping (Error?) -> Void) {
          let job = Job { error in completion(error) }
          do { try job.start() } catch { completion(error) }
        }
        func madeWithLabel(completion: @escaping (Error?) -> Void) {
          let job = Job(name: "walk", completion: { error in completion(error) })
          guard job.start() else { return completion(Problem()) }
        }
        func handed(completion: @escaping (Int) -> Void) {
          if let known { return completion(known) }
          load(completion: completion)
        }
        func immediate(completion: @escaping () -> Void) {
          _ = { completion() }()
        }
        func capturedByValue(completion: @escaping () -> Void) {
          queue.addOperation { [completion] in completion() }
        }
        func item(completion: @escaping () -> Void) {
          let item = DispatchWorkItem { completion() }
          queue.async(execute: item)
        }
        func wrapped(completion: @escaping (Int) -> Void) {
          let once: (Int) -> Void = { value in completion(value) }
          cache.find(id, completion: once)
        }
        func timed(completion: @escaping () -> Void) {
          Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in completion() }
        }
        func observed(completion: @escaping () -> Void) {
          observer = center.addObserver(forName: .done, object: nil, queue: .main) { [weak self] _ in
            guard let self, self.isWaiting else { return }
            completion()
          }
        }
        """)
  }
}
