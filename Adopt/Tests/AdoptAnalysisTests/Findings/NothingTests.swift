import Testing

struct NothingTests {
  @Test func `calls with neither a value nor an error are found`() {
    expectFindings(
      in: """
        func a(completion: @escaping (Int?, Error?) -> Void) {
          completion(nil, nil) // expect: nothing
        }
        func b(completion: @escaping (UIImage?, Error?) -> Void) {
          completion(UIImage(data: data), nil) // expect: nothing
        }
        func c(completion: @escaping (Int?, Error?) -> Void) {
          let value = try? work()
          completion(value, nil) // expect: nothing
        }
        func d(completion: @escaping (Int?, Error?) -> Void) {
          completion(value as? Int, nil) // expect: nothing
        }
        func e(error: Error?, completion: @escaping (Int?, Error?) -> Void) {
          if error == nil {
            completion(nil, error) // expect: nothing
          } else {
            completion(nil, error)
          }
        }
        func f(completion: @escaping (Int?, String?, Error?) -> Void) {
          completion(nil, nil, nil) // expect: nothing
        }
        func g(completion: ((Int?, NSError?) -> Void)?) {
          completion?(nil, nil) // expect: nothing
        }
        func h(completion: @escaping (Int?, Error?) -> Void) {
          guard ready else { return completion(nil, nil) } // expect: nothing
          completion(1, nil)
        }
        func i(completion: @escaping (Int?, Error?) -> Void) {
          let value: Int? = find()
          completion(value, nil) // expect: nothing
        }
        func j(completion: @escaping (Int?, Error?) -> Void) {
          let value = try? work()
          if value == nil {
            completion(value, nil) // expect: nothing
            return
          }
          completion(value, nil)
        }
        """)
  }

  @Test func `calls with a value or an error give no findings`() {
    expectNoFindings(
      in: """
        func a(completion: @escaping (Int?) -> Void) {
          completion(nil)
        }
        func b(completion: @escaping (Int?, Error?) -> Void) {
          if let error { completion(nil, error) } else { completion(1, nil) }
        }
        func c(completion: @escaping (Bool, Error?) -> Void) {
          completion(true, nil)
        }
        func d(completion: @escaping (UIImage?, Error?) -> Void) {
          guard let image = UIImage(data: data) else { completion(nil, Problem()); return }
          completion(image, nil)
        }
        func e(completion: @escaping (Int?, Error?) -> Void) {
          let value = try? work()
          guard value != nil else { completion(nil, Problem()); return }
          completion(value, nil)
        }
        func f(completion: @escaping (Data?, Error?) -> Void) {
          load { data, error in completion(data, error) }
        }
        func g(completion: @escaping (Error?) -> Void) {
          completion(nil)
        }
        func h(completion: @escaping (Int?, Error?) -> Void) {
          let value = find()
          completion(value, nil)
        }
        func i(completion: @escaping (String?, String?) -> Void) {
          completion(nil, nil)
        }
        func j(value: Int?, completion: @escaping (Int?, Error?) -> Void) {
          completion(value, nil)
        }
        """)
  }
}
