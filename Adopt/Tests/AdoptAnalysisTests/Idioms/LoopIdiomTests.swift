import Testing

/// Loops, labels, and counted iterations.
struct LoopIdiomTests {
  @Test func `loops that call never or again are found`() {
    expectFindings(
      in: """
        func everyItem(completion: @escaping (Int) -> Void) {
          for item in items where item > 0 {
            completion(item)  // expect: twice
          }
        }  // expect: never
        func firstItem(completion: @escaping (Int) -> Void) {
          for item in items {
            if item > 3 { completion(item); break }
          }
        }  // expect: never
        func outer(completion: @escaping (Int) -> Void) {
          rows: for row in rows {
            for cell in row {
              if cell.isEmpty { continue rows }
              if cell.isLast { break rows }
              completion(cell.value)  // expect: twice
            }
          }
        }  // expect: never
        func waiting(completion: @escaping () -> Void) {
          while let next = queue.pop() {
            guard next.isValid else { return }  // expect: never
            next.run()
          }
          completion()
        }
        func again(completion: @escaping () -> Void) {
          repeat {
            attempt()
            if isDone { return }  // expect: never
          } while hasMore
          completion()
        }
        func twoRounds(completion: @escaping () -> Void) {
          repeat {
            completion()  // expect: twice
          } while hasMore
        }
        func stream(completion: @escaping (Int) -> Void) {
          Task {
            for try await value in values {  // expect: never
              log(value)
            }
            completion(1)
          }
        }
        func eachOf(completion: @escaping (Int) -> Void) {
          items.forEach { item in
            completion(item)  // expect: twice
          }
        }  // expect: never
        func labelled(completion: @escaping () -> Void) {
          search: do {
            guard isReady else { break search }
            completion()
            return
          }
          log("not ready")
        }  // expect: never
        func labelledIf(completion: @escaping () -> Void) {
          check: if isReady {
            if isBusy { break check }
            completion()
          } else {
            completion()
          }
        }  // expect: never
        func skipping(completion: @escaping (Int) -> Void) {
          for (index, item) in items.enumerated() {
            guard item.isValid else { continue }
            if index == 3 { return completion(item.id) }
          }
        }  // expect: never
        func endless(completion: @escaping () -> Void) {
          while true {
            if isDone { break }
            if hasFailed { return }  // expect: never
          }
          completion()
        }
        func switching(completion: @escaping () -> Void) {
          loop: while isRunning {
            switch state {
            case .done: break loop
            case .failed: return  // expect: never
            default: continue loop
            }
          }
          completion()
        }
        func afterwards(completion: @escaping () -> Void) {
          for item in items { if item.isLast { completion() } }  // expect: twice
          completion()  // expect: twice
        }
        """)
  }

  @Test func `loops that call once give no findings`() {
    expectNoFindings(
      in: """
        func firstItem(completion: @escaping (Int?) -> Void) {
          for item in items where item > 3 { return completion(item) }
          completion(nil)
        }
        func outer(completion: @escaping (Int?) -> Void) {
          var found: Int?
          rows: for row in rows {
            for cell in row where cell.isGood {
              found = cell.value
              break rows
            }
          }
          completion(found)
        }
        func waiting(completion: @escaping () -> Void) {
          while let next = queue.pop() { next.run() }
          completion()
        }
        func again(completion: @escaping () -> Void) {
          repeat { attempt() } while !isDone
          completion()
        }
        func stream(completion: @escaping (Int) -> Void) {
          Task {
            var sum = 0
            for await value in values { sum += value }
            completion(sum)
          }
        }
        func endless(completion: @escaping () -> Void) {
          while true {
            if isDone { return completion() }
            step()
          }
        }
        func labelled(completion: @escaping () -> Void) {
          search: do {
            guard isReady else { break search }
            prepare()
          }
          completion()
        }
        func labelledIf(completion: @escaping () -> Void) {
          check: if isReady {
            if isBusy { break check }
            prepare()
          }
          completion()
        }
        func switching(completion: @escaping (Bool) -> Void) {
          loop: while true {
            switch state {
            case .done: completion(true); break loop
            case .failed: completion(false); return
            case .busy: continue loop
            }
          }
        }
        func grouped(completion: @escaping ([Int]) -> Void) {
          let group = DispatchGroup()
          for item in items {
            group.enter()
            item.load { _ in group.leave() }
          }
          group.notify(queue: .main) { completion(results) }
        }
        func counted(completion: @escaping () -> Void) {
          guard !items.isEmpty else { return completion() }
          for item in items {
            item.load {
              done += 1
              if done == items.count { completion() }
            }
          }
        }
        func onceOnly(completion: @escaping () -> Void) {
          var isCalled = false
          for item in items where item.isLast {
            if !isCalled { isCalled = true; completion() }
          }
          if !isCalled { completion() }
        }
        func handing(completion: @escaping () -> Void) {
          items.forEach { $0.onEnd = completion }
          completion()
        }
        func next(_ index: Int, completion: @escaping () -> Void) {
          guard index < items.count else { return completion() }
          items[index].load { [self] _, _ in next(index + 1, completion: completion) }
        }
        """)
  }
}
