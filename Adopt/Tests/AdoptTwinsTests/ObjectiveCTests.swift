import Testing

@testable import AdoptTwins

struct ObjectiveCTests {
  @Test func `twins of exported functions have imported names and are not exported`() {
    let text = """
      class C: NSObject {
        @objc func getImageWithCompletion(_ completion: @escaping (Int) -> Void) {}
        @objc(loadURL:completion:)
        public func getURLForName(_ name: String, completion: @escaping (Int) -> Void) {}
        func getPlain(completion: @escaping (Int) -> Void) {}
      }
      """
    let all = texts(text)
    #expect(
      all.map { $0.split(separator: "\n").first ?? "" } == [
        "  func image() async -> Int {", "  public func url(forName name: String) async -> Int {",
        "  func getPlain() async -> Int {",
      ])
    #expect(all[1].contains("getURLForName(name) { value in"))
  }

  @Test func `members that would be exported are marked as nonobjc`() {
    let text = "@objcMembers class C: NSObject {\n  func load(completion: @escaping (Int) -> Void) {}\n}"
    #expect(
      texts(text) == [
        """
          @nonobjc
          func load() async -> Int {
            await withCheckedContinuation { continuation in
              load { value in
                continuation.resume(returning: value)
              }
            }
          }
        """
      ])
  }

  @Test func `all twins have imported names if the option is set`() {
    var options = TwinOptions()
    options.usesImportedNames = true
    let text = "func getDefault(completion: @escaping (Int) -> Void) {}"
    #expect(texts(text, options: options)[0].hasPrefix("func `default`() async -> Int {"))
    #expect(rewritten(text, options: options).hasPrefix("@available(*, renamed: \"default()\")"))
  }

  @Test func `twins inherit isolation only if they have no other isolation`() {
    var options = TwinOptions()
    options.inheritsIsolation = true
    let text = """
      class Plain { func load(completion: @escaping (Int) -> Void) {} }
      actor A { func load(completion: @escaping (Int) -> Void) {} }
      @MainActor class Main { func load(completion: @escaping (Int) -> Void) {} }
      class Other { @Custom func load(completion: @escaping (Int) -> Void) {} }
      """
    let inheriting = texts(text, options: options).map { $0.contains("nonisolated(nonsending) func load()") }
    #expect(inheriting == [true, false, false, false])
  }
}
