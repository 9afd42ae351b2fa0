#if !canImport(Darwin)
import Testing

@testable import Retriever

@Suite struct SessionRegistryTests {
  private final class Item {}

  @Test func identifiersAreNeverUsedTwice() {
    var registry = SessionRegistry<Item>()
    #expect((0..<5).map { _ in registry.nextIdentifier() } == [1, 2, 3, 4, 5])
  }

  @Test func `a valid session adds and removes tasks`() {
    var registry = SessionRegistry<Item>()
    let item = Item()
    #expect(registry.add(item, identifier: 1) == true)
    #expect(registry.all.map { $0 === item } == [true])
    #expect(registry.remove(1) == false)
    #expect(registry.all.isEmpty)
    #expect(registry.validity == .valid)
  }

  @Test func `a session without tasks becomes invalid immediately, and only once`() {
    var registry = SessionRegistry<Item>()
    #expect(registry.invalidate() == true)
    #expect(registry.invalidate() == false)
    #expect(registry.validity == .invalid)
    #expect(registry.add(Item(), identifier: 1) == false)
  }

  @Test func `an invalidated session becomes invalid with the end of its last task`() {
    var registry = SessionRegistry<Item>()
    _ = registry.add(Item(), identifier: 1)
    _ = registry.add(Item(), identifier: 2)
    #expect(registry.invalidate() == false)
    #expect(registry.validity == .finishing)
    #expect(registry.add(Item(), identifier: 3) == false)
    #expect(registry.remove(2) == false)
    #expect(registry.remove(1) == true)
    #expect(registry.validity == .invalid)
  }

  @Test func `removing a task again has no effect`() {
    var registry = SessionRegistry<Item>()
    _ = registry.add(Item(), identifier: 1)
    _ = registry.invalidate()
    #expect(registry.remove(1) == true)
    #expect(registry.remove(1) == false)
  }
}
#endif
