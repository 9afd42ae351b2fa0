/// Functions of all forms, whose twins are compiled and run.
enum Corpus {
  static let functions = #"""
    import Foundation

    struct Failure: Error, Equatable { let code: Int }
    enum NetworkError: Error { case offline }
    final class Reference { var value = 7 }
    typealias Completion<Value> = (Result<Value, any Error>) -> Void
    typealias DataCompletion = (Data?, Error?) -> Void

    final class Job: Sendable {
      let onCancel: @Sendable () -> Void
      init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }
      func cancel() { onCancel() }
    }

    final class Service: Sendable {
      func valueAndError(_ id: Int, completion: @escaping (String?, Error?) -> Void) {
        switch id {
        case 0: completion("zero", nil)
        case 1: completion(nil, Failure(code: 1))
        default: completion(nil, nil)
        }
      }

      func twoValuesAndError(
        id: Int,
        completion: @escaping (_ data: [UInt8]?, _ status: Int?, _ error: Error?) -> Void
      ) {
        if id == 0 { completion([1, 2], 200, nil) } else { completion([1], nil, nil) }
      }

      func plainValueAndError(completion: @escaping ([Int], Error?) -> Void) { completion([3], nil) }

      func result(id: Int, completion: @escaping (Result<String, Error>) -> Void) {
        completion(id == 0 ? .success("fine") : .failure(Failure(code: id)))
      }

      func typed(id: Int, completion: @escaping (Result<String, NetworkError>) -> Void) {
        completion(id == 0 ? .success("typed") : .failure(.offline))
      }

      func typedNothing(completion: @escaping (Result<Void, NetworkError>) -> Void) { completion(.failure(.offline)) }

      func neverFails(completion: @escaping (Result<Int, Never>) -> Void) { completion(.success(5)) }

      func aliased(completion: @escaping Completion<Int>) { completion(.success(6)) }

      func aliasedData(completion: @escaping DataCompletion) { completion(Data([9]), nil) }

      func value(completion: @escaping (Int) -> Void) { completion(1) }

      func optionalValue(completion: @escaping (Int?) -> Void) { completion(nil) }

      func nothing(completion: @escaping () -> Void) { completion() }

      func onlyError(fails: Bool, completion: @escaping (Error?) -> Void) {
        completion(fails ? Failure(code: 2) : nil)
      }

      func several(completion: @escaping (_ name: String, Int, _ default: Bool) -> Void) { completion("a", 1, true) }

      func pair(fails: Bool, success: @escaping (String) -> Void, failure: @escaping (Error) -> Void) {
        if fails { failure(Failure(code: 3)) } else { success("won") }
      }

      func pairOfLittle(fails: Bool, onSuccess: @escaping () -> Void, onFailure: @escaping (Error?) -> Void) {
        if fails { onFailure(nil) } else { onSuccess() }
      }

      func optional(completion: ((Int) -> Void)? = nil) { completion?(8) }

      func optionalError(_ fails: Bool = false, completionHandler: ((Error?) -> Void)?) {
        completionHandler?(fails ? Failure(code: 4) : nil)
      }

      func generic<T: Hashable, U>(_ first: T, _ second: U, completion: @escaping ([T: U]?, Error?) -> Void)
      where U: Equatable {
        completion([first: second], nil)
      }

      func decoded<T: Decodable>(_ text: String, completion: @escaping (Result<T, Error>) -> Void) {
        completion(Result { try JSONDecoder().decode(T.self, from: Data(text.utf8)) })
      }

      func decodedOrError<T: Decodable>(_ text: String, completion: @escaping (T?, Error?) -> Void) {
        do { completion(try JSONDecoder().decode(T.self, from: Data(text.utf8)), nil) } catch { completion(nil, error) }
      }

      func genericFailure<E: Error>(_ error: E, completion: @escaping (Result<Int, E>) -> Void) {
        completion(.failure(error))
      }

      static func shared(completion: @escaping (Int) -> Void) { completion(11) }

      func throwing(_ step: Int, completion: @escaping (Int) -> Void) throws {
        if step == 0 { throw Failure(code: 5) }
        completion(step)
      }

      func job(_ outcome: Int, completion: @escaping @Sendable (Result<Int, Error>) -> Void) -> Job {
        if outcome >= 0 { completion(.success(outcome)) }
        return Job { if outcome < 0 { completion(.failure(CancellationError())) } }
      }

      @discardableResult
      func optionalJob(completion: (@Sendable (Int?, Error?) -> Void)? = nil) -> Job? {
        Job { completion?(nil, CancellationError()) }
      }

      @discardableResult func counted(completion: @escaping (Int) -> Void) -> Int {
        completion(12)
        return 1
      }

      func unnamed(_: Int, for _: String, completion: @escaping (Int) -> Void) { completion(13) }

      func keywords(in: Int, for value: Int, `default`: Int, completion: @escaping (Int) -> Void) {
        completion(`in` + value + `default`)
      }

      func shadows(continuation: Int, result: Int, value: Int, error: Int, task: Int, started: Int, _ completion: @escaping (Result<Int, NetworkError>) -> Void) {
        completion(.success(continuation + result + value + error + task + started))
      }

      func handlerFirst(completion: @escaping (Int) -> Void, times: Int) { completion(times) }

      func handlerBetween(_ a: Int, completion: @escaping (Int) -> Void, queue: DispatchQueue = .main) { completion(a) }

      func changes(_ value: inout Int, message: @autoclosure () -> String, completion: @escaping (String) -> Void) {
        value += 1
        completion(message())
      }

      func transforms(_ transform: (Int) -> Int, completion: @escaping (Int) -> Void) { completion(transform(2)) }

      func packs<each T>(_ items: repeat each T, completion: @escaping (Int) -> Void) {
        var count = 0
        repeat (count += { _ in 1 }(each items))
        completion(count)
      }

      func opaque(_ items: some Collection<Int>, completion: @escaping (Int) -> Void) { completion(items.count) }

      func overloaded(completion: @escaping (Int?) -> Void) { completion(1) }
      func overloaded(_ id: String, completion: @escaping (Int?) -> Void) { completion(2) }
      func overloaded(_ id: Int, completion: @escaping (Int?) -> Void) { completion(3) }

      @MainActor func onMain(completion: @escaping @MainActor (Int) -> Void) { completion(14) }

      func sendable(completion: @escaping @Sendable (Int) -> Void) { completion(15) }

      func unsendable(completion: @escaping (Reference?, Error?) -> Void) { completion(Reference(), nil) }

      func unsendableResult(completion: @escaping (Result<Reference, Error>) -> Void) { completion(.success(Reference())) }

      func unsendablePair(completion: @escaping (Reference, Reference) -> Void) { completion(Reference(), Reference()) }

      func isolated(_ actor: isolated any Actor, completion: @escaping (Int) -> Void) { completion(16) }

      func name(name: Int, completion: @escaping (Int) -> Void) { completion(name) }

      func later(_ value: Int, completionHandler: @escaping @Sendable (Int) -> Void) {
        DispatchQueue.global().async { completionHandler(value) }
      }
    }

    struct Counter {
      var count = 0
      mutating func increase(completion: @escaping (Int) -> Void) {
        count += 1
        completion(count)
      }
    }

    actor Store {
      private var items = [1]
      func add(_ item: Int, completion: @escaping ([Int]) -> Void) {
        items.append(item)
        completion(items)
      }
      private func hidden(completion: @escaping (Int) -> Void) { completion(17) }
      func shown() async -> Int { 17 }
    }

    @MainActor final class Screen {
      var title = "title"
      func load(completion: @escaping (String) -> Void) { completion(title) }
    }

    public protocol Loading {
      associatedtype Item
      /// Loads an item.
      /// - Parameters:
      ///   - id: Which.
      ///   - completion: Called with the item.
      func load(_ id: Int, completion: @escaping (Result<Item, Error>) -> Void)
      static func make(completion: @escaping (Int) -> Void)
    }

    struct TextLoader: Loading {
      static func make(completion: @escaping (Int) -> Void) { completion(18) }
      func load(_ id: Int, completion: @escaping (Result<String, Error>) -> Void) { completion(.success("item \(id)")) }
    }

    enum Outer {
      struct Inner<Value> {
        let value: Value
        func get(completion: @escaping (Value) -> Void) { completion(value) }
      }
    }

    extension Outer.Inner where Value: Equatable {
      func same(as other: Value, completion: @escaping (Bool) -> Void) { completion(other == value) }
    }

    struct Image: Sendable {
      let size: Int
      init?(data: Data) { size = data.count }
      func prepareThumbnail(of size: Int, completionHandler: @escaping @Sendable (Image?) -> Void) {
        completionHandler(size < self.size ? self : nil)
      }
    }
    enum FetchError: Error { case badID, badImage }
    final class Session: Sendable {
      static let shared = Session()
      func dataTask(_ id: String, completionHandler: @escaping @Sendable (Data?, Int, Error?) -> Void) -> Job {
        completionHandler(id == "lost" ? nil : Data(id.utf8), id == "bad" ? 404 : 200, id == "lost" ? FetchError.badID : nil)
        return Job {}
      }
    }

    // Two paths never call the handler.
    func fetchThumbnail(for id: String, completion: @escaping @Sendable (Image?, Error?) -> Void) {
      _ = Session.shared.dataTask(id) { data, status, error in
        if let error = error {
          completion(nil, error)
        } else if status != 200 {
          completion(nil, FetchError.badID)
        } else {
          guard let image = Image(data: data!) else { return }
          image.prepareThumbnail(of: 4) { thumbnail in
            guard let thumbnail = thumbnail else { return }
            completion(thumbnail, nil)
          }
        }
      }
    }

    func global(_ value: Int, completion: @escaping (Int) -> Void) { completion(value) }

    #if os(Linux)
      func platform(completion: @escaping (String) -> Void) { completion("linux") }
    #else
      func platform(completion: @escaping (String) -> Void) { completion("other") }
    #endif

    """#

  static let driver = #"""
    import Foundation

    // Only accessed by the task that checks the results.
    nonisolated(unsafe) var failures = 0
    func expect(_ isTrue: Bool, _ what: String, line: Int = #line) {
      if !isTrue {
        failures += 1
        print("\(line): \(what)")
      }
    }

    ISOLATION func thrown(_ work: () async throws -> Void) async -> String {
      do {
        try await work()
        return "nothing"
      } catch {
        return "\(error)"
      }
    }

    ISOLATION func run() async throws {
      let s = Service()
      expect(try await s.valueAndError(0) == "zero", "value")
      expect(await thrown { _ = try await s.valueAndError(1) } == "Failure(code: 1)", "error")
      let missing = await thrown { _ = try await s.valueAndError(2) }
      expect(missing == "valueAndError(_:) got neither a value nor an error.", missing)
      let two = try await s.twoValuesAndError(id: 0)
      expect(two.data == [1, 2] && two.status == 200, "labels")
      expect(await thrown { _ = try await s.twoValuesAndError(id: 1) } != "nothing", "half of the values")
      expect(try await s.plainValueAndError() == [3], "plain")
      expect(try await s.result(id: 0) == "fine", "result")
      expect(await thrown { _ = try await s.result(id: 9) } == "Failure(code: 9)", "result's failure")
      do throws(NetworkError) {
        expect(try await s.typed(id: 0) == "typed", "typed")
        _ = try await s.typed(id: 1)
        expect(false, "typed throws")
      } catch {
        switch error { case .offline: break }
      }
      do throws(NetworkError) { try await s.typedNothing() } catch { switch error { case .offline: break } }
      expect(await s.neverFails() == 5, "never fails")
      expect(try await s.aliased() == 6, "alias")
      expect(try await s.aliasedData() == Data([9]), "alias of data")
      expect(await s.value() == 1, "one value")
      expect(await s.optionalValue() == nil, "an optional value")
      await s.nothing()
      try await s.onlyError(fails: false)
      expect(await thrown { try await s.onlyError(fails: true) } == "Failure(code: 2)", "only error")
      let several = await s.several()
      expect(several.name == "a" && several.1 == 1 && several.default, "several")
      expect(try await s.pair(fails: false) == "won", "success")
      expect(await thrown { _ = try await s.pair(fails: true) } == "Failure(code: 3)", "failure")
      try await s.pairOfLittle(fails: false)
      expect(await thrown { try await s.pairOfLittle(fails: true) } != "nothing", "a failure without an error")
      await s.optional()
      expect(await s.optional() == 8, "optional handler")
      try await s.optionalError()
      expect(await thrown { try await s.optionalError(true) } == "Failure(code: 4)", "optional handler's error")
      expect(try await s.generic("a", 1) == ["a": 1], "generic")
      let decoded: [Int] = try await s.decoded("[1]")
      expect(decoded == [1], "decoded")
      let second: [Int] = try await s.decodedOrError("[1]")
      expect(second == [1], "decoded, or an error")
      do throws(Failure) { _ = try await s.genericFailure(Failure(code: 6)) } catch { expect(error.code == 6, "E") }
      expect(await Service.shared() == 11, "static")
      expect(try await s.throwing(1) == 1, "throwing")
      expect(await thrown { _ = try await s.throwing(0) } == "Failure(code: 5)", "throws before")
      expect(try await s.job(4) == 4, "job")
      let early = Task { try await s.job(-1) }
      early.cancel()
      expect(await thrown { _ = try await early.value } == "CancellationError()", "cancelled early")
      let late = Task { try await s.job(-1) }
      await Task.yield()
      late.cancel()
      expect(await thrown { _ = try await late.value } == "CancellationError()", "cancelled late")
      let maybe = Task { try await s.optionalJob() }
      maybe.cancel()
      expect(await thrown { _ = try await maybe.value } == "CancellationError()", "optional job")
      expect(await s.counted() == 12, "counted")
      expect(await s.unnamed(1, for: "") == 13, "unnamed")
      expect(await s.keywords(in: 1, for: 2, default: 3) == 6, "keywords")
      expect(try await s.shadows(continuation: 1, result: 1, value: 1, error: 1, task: 1, started: 1) == 6, "shadows")
      expect(await s.handlerFirst(times: 3) == 3, "handler first")
      expect(await s.handlerBetween(4) == 4, "handler between")
      var changed = 0
      expect(await s.changes(&changed, message: "m") == "m" && changed == 1, "inout")
      expect(await s.transforms { $0 * 2 } == 4, "transform")
      expect(await s.packs(1, "a", true) == 3, "pack")
      expect(await s.opaque([1, 2]) == 2, "some")
      expect(await s.overloaded() == 1, "overload")
      expect(await s.overloaded("") == 2, "overload")
      expect(await s.overloaded(0) == 3, "overload")
      expect(await s.onMain() == 14, "main actor")
      expect(await s.sendable() == 15, "sendable")
      expect(try await s.unsendable().value == 7, "not sendable")
      expect(try await s.unsendableResult().value == 7, "result not sendable")
      expect(await s.unsendablePair().1.value == 7, "pair not sendable")
      expect(await s.isolated(MainActor.shared) == 16, "isolated")
      expect(await s.name(name: 3) == 3, "a parameter called like the function")
      for value in 0..<50 { expect(await s.later(value) == value, "later") }
      var counter = Counter()
      expect(await counter.increase() == 1 && counter.count == 1, "mutating")
      let store = Store()
      expect(await store.add(2) == [1, 2], "actor")
      expect(await store.shown() == 17, "private in an actor")
      expect(await Screen().load() == "title", "main actor's class")
      expect(try await TextLoader().load(3) == "item 3", "requirement")
      expect(await TextLoader.make() == 18, "static requirement")
      ISOLATION func load<L: Loading>(_ loader: L) async throws -> L.Item { try await loader.load(5) }
      expect(try await load(TextLoader()) == "item 5", "through the protocol")
      expect(await Outer.Inner(value: 2).get() == 2, "nested")
      expect(await Outer.Inner(value: 2).same(as: 2), "extension")
      expect(try await fetchThumbnail(for: "a photo").size == 7, "thumbnail")
      expect(await thrown { _ = try await fetchThumbnail(for: "bad") } == "badID", "bad thumbnail")
      expect(await thrown { _ = try await fetchThumbnail(for: "lost") } == "badID", "lost thumbnail")
      expect(await global(4) == 4, "global")
      expect(await platform() == "linux", "platform")
    }

    @main struct Main {
      static func main() async throws {
        try await run()
        print(failures == 0 ? "all as expected" : "\(failures) failures")
      }
    }

    """#
}
