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
}
