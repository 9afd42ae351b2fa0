import Testing

/// Optional chaining, `??`, ternaries, `&&` and `||`, and optional handlers.
struct OptionalIdiomTests {
  @Test func `missing and repeated calls with optional values are found`() {
    expectFindings(
      in: """
        func show(from presenter: Controller?, completion: @escaping () -> Void) {
          presenter?.present(sheet, animated: true, completion: completion)
        }  // expect: never
        func fade(_ view: View?, completion: @escaping (Bool) -> Void) {
          view?.layer.fade { isDone, error in completion(isDone) }
        }  // expect: never
        func icon(for url: URL, completion: @escaping (Image) -> Void) {
          load(url) { image, error in
            image?.prepare(completion: completion)
          }  // expect: never
        }
        func name(of user: User?, completion: @escaping (String?) -> Void) {
          completion(user?.name)
          if user == nil { completion(nil) }  // expect: twice
        }
        func maybe(_ isReady: Bool, completion: @escaping () -> Void) {
          isReady ? completion() : log("not ready")
        }  // expect: never
        func short(_ isReady: Bool, completion: @escaping () -> Bool, callback: @escaping () -> Void) {
          guard let value = cached ?? fetch() else { return }  // expect: never
          use(value)
          callback()
        }
        func both(completion: @escaping (Int) -> Void) {
          if let a = first, let b = second, a > b {
            completion(a)
          } else if case .some(let c) = third {
            completion(c)
          }
        }  // expect: never
        func absent(completion: ((Int) -> Void)?) {
          if let completion {
            guard isOpen else { return }  // expect: never
            completion(1)
          }
        }
        func forced(completion: ((Int) -> Void)!) {
          if isOpen { completion!(1) }
          completion?(2)  // expect: twice
        }
        func bound(completion: (() -> Void)? = nil) {
          guard let done = completion else { return }
          if isOpen { done() }
        }  // expect: never
        func equal(_ a: Int, completion: @escaping (Int) -> Void) {
          if a == 0 || isClosed {
            log(a)
            return  // expect: never
          }
          completion(a)
        }
        func notEqual(_ a: Int?, completion: @escaping (Int) -> Void) {
          if a != nil && !isClosed { completion(a!) }
        }  // expect: never
        func chained(completion: @escaping (Int) -> Void) {
          guard let first = list?.first?.value, first > 0 else {
            log("empty")
            return  // expect: never
          }
          completion(first)
        }
        func nested(completion: @escaping (Int?, Error?) -> Void) {
          service?.load { result, error in
            if let result { if result.isValid { completion(result.id, nil) } } else { completion(nil, error) }
          }  // expect: never
        }
        func coalesced(_ id: Int?, completion: @escaping (Int?, Error?) -> Void) {
          if id == nil { completion(nil, Problem()) }
          completion(id ?? 0, nil)  // expect: twice
        }
        func unsure(completion: @escaping (URL?, Error?) -> Void) {
          let url = URL(string: text)
          completion(url, nil)  // expect: nothing
        }
        func empty(completion: @escaping ([Int]?, Error?) -> Void) {
          if isClosed { return completion(nil, nil) }  // expect: nothing
          completion([], nil)
        }
        func decoded(completion: @escaping (Item?, Error?) -> Void) {
          completion(try? decoder.decode(Item.self, from: data), nil)  // expect: nothing
        }
        func cast(_ any: Any, completion: @escaping (Item?, Error?) -> Void) {
          completion(any as? Item, nil)  // expect: nothing
        }
        """)
  }

  @Test func `nil values for which the handler is called give no findings`() {
    expectNoFindings(
      in: """
        func show(from presenter: Controller?, completion: @escaping () -> Void) {
          guard let presenter else { return completion() }
          presenter.present(sheet, animated: true, completion: completion)
        }
        func known(from presenter: Controller?, completion: @escaping () -> Void) {
          if presenter == nil { completion() }
          presenter?.present(sheet, animated: true, completion: completion)
        }
        func property(completion: @escaping () -> Void) {
          navigationController?.present(sheet, animated: true, completion: completion)
        }
        func local(completion: @escaping () -> Void) {
          let window = application.keyWindow
          window?.rootViewController?.present(sheet, animated: true, completion: completion)
        }
        func otherwise(_ view: View?, completion: @escaping (Bool) -> Void) {
          if view?.layer.fade(completion: completion) == nil { completion(false) }
        }
        func icon(for url: URL, completion: @escaping (Image?) -> Void) {
          load(url) { image, error in
            guard error == nil else { return completion(nil) }
            image?.prepare(completion: completion) ?? completion(nil)
          }
        }
        func maybe(_ isReady: Bool, completion: @escaping (Bool) -> Void) {
          isReady ? completion(true) : completion(false)
        }
        func value(_ isReady: Bool, completion: @escaping (Int?) -> Void) {
          completion(isReady ? cached : nil)
        }
        func absent(completion: ((Int) -> Void)?) {
          guard let completion else { return }
          completion(1)
        }
        func only(completion: (() -> Void)?) {
          completion?()
        }
        func tested(completion: (() -> Void)? = nil) {
          if completion != nil { completion!() }
        }
        func either(_ a: Int?, completion: @escaping (Int) -> Void) {
          if let a { completion(a) } else { completion(0) }
        }
        func nilOrNot(_ a: Int?, completion: @escaping (Int) -> Void) {
          if a == nil { return completion(0) }
          completion(a!)
        }
        func result(_ a: Int?, completion: @escaping (Int?, Error?) -> Void) {
          guard let a else { return completion(nil, Problem()) }
          completion(a, nil)
        }
        func decoded(completion: @escaping (Item?, Error?) -> Void) {
          guard let item = try? decoder.decode(Item.self, from: data) else {
            completion(nil, Problem())
            return
          }
          completion(item, nil)
        }
        func coalesced(_ id: Int?, completion: @escaping (Int) -> Void) {
          completion(id ?? defaults.id ?? 0)
        }
        func shortCircuit(completion: @escaping (Bool) -> Void) {
          completion(isOpen && hasKey || isAdmin)
        }
        func pattern(completion: @escaping (Int) -> Void) {
          guard case .some(let value) = cached else { completion(0); return }
          completion(value)
        }
        func available(completion: @escaping (Int) -> Void) {
          if #available(iOS 17, *) { completion(17) } else { completion(16) }
        }
        """)
  }
}
