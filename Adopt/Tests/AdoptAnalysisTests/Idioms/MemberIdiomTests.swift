import Testing

/// Members of types: initializers, subscripts, accessors, generics, actors, and modifiers and attributes of functions.
struct MemberIdiomTests {
  @Test func `missing and repeated calls in members are found`() {
    expectFindings(
      in: """
        final class Door {
          var isOpen = false { didSet { log(isOpen) } }
          init(key: Key, completion: @escaping (Door?) -> Void) {
            guard key.fits else { return }  // expect: never
            completion(self)
          }
          convenience init?(name: String, completion: @escaping () -> Void) {
            guard !name.isEmpty else { return nil }  // expect: never
            self.init(key: Key(name), completion: { _ in completion() })
          }
          static func shared(completion: @escaping (Door) -> Void) {
            queue.sync { if let door = doors.first { completion(door) } }  // expect: never
          }
          class func all(completion: @escaping ([Door]) -> Void) {
            DispatchQueue.main.async {
              guard !doors.isEmpty else { return }  // expect: never
              completion(doors)
            }
          }
          func open(completion: @escaping () -> Void) {
            isOpen = true
            if isLocked { completion() } else { completion() }
            completion()  // expect: twice
          }
          func close(completion: @escaping () -> Void) -> some Sequence<Int> {
            if isOpen { completion() }
            return [1, 2]  // expect: never
          }
          func knock<T: Sendable>(_ value: T, then: @escaping (T) -> Void) where T: Hashable {
            if seen.insert(value).inserted { then(value) }
          }  // expect: never
          func swap(_ other: inout Door, completion: @escaping () -> Void) {
            Swift.swap(&other.key, &key)
            if other.key == key { return }  // expect: never
            completion()
          }
          subscript(name: String) -> Int {
            get async {
              await withCheckedContinuation { continuation in
                if let n = names[name] { continuation.resume(returning: n) }
              }  // expect: never
            }
          }
          var size: Int {
            get async throws {
              try await withCheckedThrowingContinuation { continuation in
                measure { size, error in
                  if let error { continuation.resume(throwing: error) }
                  continuation.resume(returning: size)  // expect: twice
                }
              }
            }
          }
        }
        extension Door {
          @MainActor @discardableResult
          func paint(_ colour: Colour, completion: @MainActor @escaping () -> Void) -> Bool {
            guard colour != self.colour else { return false }
            completion()
            return true
          }
          @objc func ring(reply: @escaping (Bool) -> Void) {
            if isOpen { reply(true) }
            reply(false)  // expect: twice
          }
        }
        struct Ticket: ~Copyable {
          consuming func use(completion: @escaping () -> Void) {
            guard isValid else {
              discard self
              return  // expect: never
            }
            completion()
          }
        }
        actor Gate {
          func pass(completion: @escaping @Sendable () -> Void) {
            count += 1
            if count > limit { waiting.append(1) } else { completion() }
          }  // expect: never
          nonisolated func look(completionHandler: @escaping @Sendable (Int) -> Void) {
            Task { if await count > 0 { completionHandler(await count) } }  // expect: never
          }
        }
        enum Api {
          static func get(_ path: String, callback: @escaping (Data?) -> Void) {
            guard let url = URL(string: path) else { return }  // expect: never
            client.send(url, completion: callback)
          }
        }
        """)
  }

  @Test func `members that call once give no findings`() {
    expectNoFindings(
      in: """
        final class Door {
          var onOpen: (() -> Void)?
          var isOpen = false {
            willSet { log(newValue) }
            didSet { if isOpen { onOpen?() } }
          }
          init(key: Key, completion: @escaping (Bool) -> Void) {
            guard key.fits else {
              completion(false)
              return
            }
            completion(true)
          }
          static func shared(completion: @escaping (Door?) -> Void) {
            queue.sync { completion(doors.first) }
          }
          func open(completion: @escaping () -> Void) {
            onOpen = completion
            isOpen = true
          }
          func close(completion: @escaping () -> Void) -> some Sequence<Int> {
            defer { completion() }
            return [1, 2]
          }
          func knock<T: Sendable>(_ value: T, then: @escaping (T) -> Void) where T: Hashable {
            seen.insert(value)
            then(value)
          }
          func swap(_ other: inout Door, completion: @escaping () -> Void) {
            Swift.swap(&other.key, &key)
            completion()
          }
          subscript(index: Int) -> Int {
            get { storage[index] }
            set { storage[index] = newValue }
          }
          func put(completion: @escaping () -> Void) {
            handlers[\\.open, default: []].append(completion)
          }
          func traced(completion: @escaping (String) -> Void) {
            completion(#function)
          }
          func measured(completion: @escaping (Bool) -> Void) {
            completion(#expect(isOpen))
          }
          func sorted(completion: @escaping ([Int]) -> Void) {
            completion(doors.sorted(by: \\.size).map(\\.id))
          }
          subscript(name: String) -> Int {
            get async {
              await withCheckedContinuation { continuation in
                continuation.resume(returning: names[name] ?? 0)
              }
            }
          }
          var size: Int {
            get async throws {
              try await withCheckedThrowingContinuation { continuation in
                measure { size, error in
                  if let error { return continuation.resume(throwing: error) }
                  continuation.resume(returning: size)
                }
              }
            }
          }
          var items: [Int] {
            _read { yield storage }
            _modify { yield &storage }
          }
        }
        extension Door {
          @MainActor @discardableResult
          func paint(_ colour: Colour, completion: @MainActor @escaping () -> Void) -> Bool {
            completion()
            return colour != self.colour
          }
          @objc func ring(reply: @escaping (Bool) -> Void) {
            reply(isOpen)
          }
          func chain(completion: @escaping () -> Void) -> Self {
            queue.async { completion() }
            return self
          }
        }
        struct Ticket: ~Copyable {
          consuming func use(completion: @escaping () -> Void) {
            completion()
            discard self
          }
        }
        actor Gate {
          func pass(completion: @escaping @Sendable () -> Void) {
            count += 1
            if count > limit { waiting.append(completion) } else { completion() }
          }
          nonisolated func look(completionHandler: @escaping @Sendable (Int) -> Void) {
            Task { completionHandler(await count) }
          }
        }
        enum Api {
          static func get(_ path: String, callback: @escaping (Data?) -> Void) {
            guard let url = URL(string: path) else { return callback(nil) }
            client.send(url, completion: callback)
          }
        }
        """)
  }
}
