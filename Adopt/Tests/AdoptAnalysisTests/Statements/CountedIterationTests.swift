import Testing

/// Loops that call in one of their iterations.
struct CountedIterationTests {
  @Test func `a call in the last iteration is a single call`() {
    expectFindings(
      in: """
        func b(completion: @escaping (Int) -> Void) {
          for (index, row) in rows.enumerated() {
            if index + 1 == rows.count { completion(row) }
          }
        } // expect: never
        """)
  }

  @Test func `a counted iteration is assumed to happen`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping ([Int]) -> Void) {
          var all: [Int] = []
          if rows.isEmpty { return completion(all) }
          rows.forEach { row in
            all.append(row)
            if all.count == rows.count {
              completion(all)
            }
          }
        }
        func b(completion: @escaping () -> Void) {
          guard !items.isEmpty else { return completion() }
          for item in items {
            item.load { result in
              done += 1
              if done == items.count { completion() }
            }
          }
        }
        func c(items: [Item], completion: @escaping () -> Void) {
          if items.count == 0 { completion(); return }
          var left = items.count
          for item in items.reversed() {
            item.load {
              left -= 1
              if left == 0 { completion() }
            }
          }
        }
        func e(names: [String], completion: @escaping () -> Void) {
          guard !names.isEmpty else { return completion() }
          var count = 0
          for name in names {
            client.download(name).response { response, error in
              count += 1
              if count == names.count { completion() }
            }
          }
        }
        func d(items: [Item], completion: @escaping () -> Void) {
          if items.isEmpty { completion() }
          for item in items {
            item.load { _, error in
              done += 1
              if done == items.count { completion() }
            }
          }
        }
        """)
  }

  @Test func `calls in other iterations are repeated calls`() {
    expectFindings(
      in: """
        func a(completion: @escaping (Int) -> Void) {
          for row in rows where row.count == 3 {
            completion(row) // expect: twice
          }
        } // expect: never
        func b(completion: @escaping (Int) -> Void) {
          for row in rows {
            if row.count > 3 { completion(row) } // expect: twice
          }
        } // expect: never
        func c(completion: @escaping (Int) -> Void) {
          for row in rows {
            if row.count == 3 { skip(row) } else { completion(0) } // expect: twice
          }
        } // expect: never
        func d(completion: @escaping (Int) -> Void) {
          if rows.count == 3 {
            for row in rows { completion(row) } // expect: twice
          } else {
            completion(0)
          }
        }
        """)
  }

  @Test func `a guard that counts iterations is assumed to pass once`() {
    expectNoFindings(
      in: """
        func a(urls: [URL], completion: @escaping ([Data]) -> Void) {
          guard !urls.isEmpty else { return completion([]) }
          var pending = urls.count
          for url in urls {
            fetch(url) { data, error in
              if let data { all.append(data) }
              pending -= 1
              guard pending == 0 else { return }
              completion(all)
            }
          }
        }
        func b(items: [Item], completion: @escaping () -> Void) {
          if items.isEmpty { return completion() }
          for item in items {
            done += 1
            guard done == items.count else { continue }
            completion()
          }
        }
        func c(items: [Item], completion: @escaping () -> Void) {
          if items.isEmpty { return completion() }
          items.forEach { item in
            done += 1
            guard done == items.count else { return }
            if isReady { log() }
            completion()
          }
        }
        """)
    // A function with a handler whose name is less clear is not a subscription either.
    expectNoFindings(
      in: """
        func a(urls: [URL], handler: @escaping ([Data]) -> Void) {
          guard !urls.isEmpty else { return handler([]) }
          var pending = urls.count
          for url in urls {
            fetch(url) { data, error in
              pending -= 1
              guard pending == 0 else { return }
              handler(all)
            }
          }
        }
        """)
  }

  @Test func `a guard that leaves the function or calls the handler does not count iterations`() {
    expectFindings(
      in: """
        func a(items: [Item], completion: @escaping () -> Void) {
          guard !items.isEmpty else { return completion() }
          for item in items {
            guard done == items.count else { return } // expect: never
            completion()
          }
        }
        func b(items: [Item], completion: @escaping (Int) -> Void) {
          guard !items.isEmpty else { return completion(0) }
          items.forEach { item in
            guard done == items.count else { return completion(1) } // expect: twice
            completion(2)
          }
        }
        func c(items: [Item], completion: @escaping () -> Void) {
          guard items.count == 2 else { return completion() }
          while isOpen {
            completion() // expect: twice
          }
        } // expect: never
        """)
  }
}
