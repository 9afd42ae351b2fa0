import Testing

@testable import AdoptAnalysis

/// Handlers of Alamofire requests, which are called once when a request has finished.
struct ResponseTests {
  @Test func `missing calls in the response handler of a request are found`() {
    expectFindings(
      in: """
        import Alamofire
        func a(completion: @escaping (Any?, String?) -> Void) {
          Alamofire.request(url).responseJSON { response in
            guard let json = response.result.value else {
              completion(nil, "")
              return
            }
            completion(json, nil)
          }
          completion(nil, "") // expect: twice
        }
        func b(completion: @escaping (Bool) -> Void) {
          AF.request(url).validate().responseDecodable(of: Dog.self) { response in
            switch response.result {
            case .success(let dog): completion(dog.isGood)
            case .failure(let error): print(error)
            }
          } // expect: never
        }
        func c(completion: @escaping (Bool) -> Void) {
          AF.request(url).responseData(queue: queue, completionHandler: { response in
            if response.error == nil { completion(true) }
          }) // expect: never
        }
        func d(completion: @escaping (Int) -> Void) {
          session.download(url).response { answer in
            guard answer.response?.statusCode == 200 else { return } // expect: never
            completion(1)
          }
        }
        func e(completion: @escaping (Int) -> Void) {
          AF.request(url).responseString { response in
            if let value = response.value { completion(value.count) }
            completion(0) // expect: twice
          }
        }
        func f(completion: @escaping (Bool) -> Void) {
          AF.request(url).responseJSON {
            if case .success = $0.result { completion(true) }
          } // expect: never
        }
        func g(completion: @escaping (Any) -> Void) {
          AF.request(url).responseJSON { response in
            guard let json = response.value as? [String: Any] else { return } // expect: never
            completion(json)
          }
        }
        """)
  }

  @Test func `a response has either a value or an error`() {
    expectNoFindings(
      in: """
        import AlamofireImage
        func a(completion: @escaping (Image?, Error?) -> Void) {
          Alamofire.request(url).responseImage { response in
            guard response.result.isSuccess else {
              completion(nil, response.result.error)
              return
            }
            if let image = response.result.value { completion(image, nil) }
          }
        }
        func b(completion: @escaping (Bool) -> Void) {
          Alamofire.request(url).responseJSON { response in
            if response.result.isSuccess { completion(true) }
            if response.result.isFailure { completion(false) }
          }
        }
        func c(completion: @escaping (Any?) -> Void) {
          Alamofire.request(url).responseJSON { (response) in
            if let value = response.value {
              completion(value)
            } else if response.error != nil {
              completion(nil)
            }
          }
        }
        func d(completion: @escaping (Any?) -> Void) {
          AF.request(url).responseJSON { response in
            if let error = response.error { print(error); completion(nil); return }
            let value = response.value
            guard let value else { return }
            completion(value)
          }
        }
        func e(completion: @escaping (Any?) -> Void) {
          AF.request(url).responseJSON {
            let result = $0.result
            if result.error != nil { completion(nil) }
            if result.isSuccess { completion(result.value) }
          }
        }
        func f(completion: @escaping (Any?) -> Void) {
          AF.request(url).responseJSON { response in
            let hasFailed = response.result.isFailure
            if hasFailed { return completion(nil) }
            if !hasFailed { completion(1) }
          }
        }
        func g(completion: @escaping (String) -> Void) {
          AF.streamRequest(url).responseStreamString { stream in
            if isWanted(stream) { completion("") }
          }
        }
        """)
  }

  @Test func `several tests of one result agree with each other`() {
    expectNoFindings(
      in: """
        import Alamofire
        func a(completion: @escaping (Dog?) -> Void) {
          AF.request(url).responseDecodable(of: Dog.self) { response in
            if case .success(let dog) = response.result { completion(dog) }
            if case let .failure(error) = response.result { print(error); completion(nil) }
          }
        }
        func b(completion: @escaping (Dog?) -> Void) {
          AF.request(url).responseDecodable(of: Dog.self) { response in
            switch response.result {
            case .success(let dog): completion(dog)
            case .failure(_): log()
            }
            if response.error != nil { completion(nil) }
          }
        }
        func c(completion: @escaping (Any?) -> Void) {
          Alamofire.request(url).responseJSON {
            let result = $0.result
            var shown: Any?
            switch result {
            case let .success(json): shown = json
            default: completion(nil)
            }
            guard case .success = result else { return }
            completion(shown)
          }
        }
        func d(completion: @escaping (Data?) -> Void) {
          AF.request(url).responseData { response in
            if response.value == nil { completion(nil) }
            switch response.result {
            case .failure: return
            case .success(let data) where data.isEmpty: completion(nil)
            case .success(let data): completion(data)
            }
          }
        }
        func e(completion: @escaping (Bool) -> Void) {
          AF.request(url).response { response in
            guard case .failure = response.result else { return completion(true) }
            switch response.result {
            case .success: break
            case .failure: completion(false)
            }
          }
        }
        """)
    expectFindings(
      in: """
        import Alamofire
        func a(completion: @escaping (Dog?) -> Void) {
          AF.request(url).responseDecodable(of: Dog.self) { response in
            if case .success(let dog) = response.result { completion(dog) }
            if response.error == nil { completion(nil) } // expect: twice
          } // expect: never
        }
        func b(completion: @escaping (Dog?) -> Void) {
          AF.request(url).responseDecodable(of: Dog.self) { response in
            switch response.result {
            case .success(let dog): completion(dog)
            case .failure: completion(nil)
            }
            if case .failure(let error) = response.result { report(error); completion(nil) } // expect: twice
          }
        }
        func c(completion: @escaping (Dog?) -> Void) {
          AF.request(url).responseDecodable(of: Dog?.self) { response in
            if case .success(let dog?) = response.result { completion(dog) }
            if case .failure = response.result { completion(nil) }
          } // expect: never
        }
        func d(completion: @escaping (Data?) -> Void) {
          AF.request(url).responseData { response in
            switch response.result {
            case .success(let data) where isGood(data): completion(data)
            case .failure: completion(nil)
            default: log()
            }
          } // expect: never
        }
        """)
  }

  @Test func `methods with the same names are only followed in files that import Alamofire`() {
    let text = """
      func a(completion: @escaping () -> Void) {
        device.responseData { response in
          guard isOpen else { return }
          completion()
        }
      }
      """
    expectNoFindings(in: text)
    let findings = check(ParsedFile(path: "a.swift", text: "import Alamofire\n" + text)).findings
    #expect(findings.map(\.kind) == [.never])
  }
}
