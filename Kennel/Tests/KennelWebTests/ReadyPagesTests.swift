import Foundation
import TestSupport
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite struct ReadyPagesTests {
  private let ada = User(id: 1, name: "Ada", role: .member, created: .distantPast)

  @Test func `a kept page is sent only at its version, and never contains a user's page`() {
    let limit = 20_000
    var pages = ReadyPagesState(limit: limit)
    var current = ContentVersion(lastEvent: 0, removedUsers: 0)
    var old: [ContentVersion] = [current]
    var hits = 0
    func body(_ resource: PageResource, _ version: ContentVersion, _ viewer: User?) -> Data {
      Data("\(resource) \(version) \(viewer?.name ?? "")".utf8) + Data(count: 1000)
    }
    SeededRandom.draw(20_000, eventsOf: 8, seed: 3) { kind, random in
      let resources: [PageResource] = [
        .grid(.newest), .grid(.afterPost(Int64.random(in: 1...20, using: &random))), .hearts(.newest),
        .posts(.newest, limit: 30), .photo(Int64.random(in: 1...5, using: &random), after: 0),
      ]
      let resource = resources[Int.random(in: 0..<resources.count, using: &random)]
      switch kind {
      case 0:
        guard Int.random(in: 0..<8, using: &random) == 0 else { return }
        if Bool.random(using: &random) { current.lastEvent += 1 } else { current.removedUsers += 1 }
        old.append(current)
      case 1, 2, 3:
        // A slow request may finish after a change.
        let version =
          Int.random(in: 0..<4, using: &random) == 0 ? old.randomElement(using: &random) ?? current : current
        let viewer = Bool.random(using: &random) ? ada : nil
        pages.keep(
          ReadyPage(version: version, body: body(resource, version, viewer)), as: resource, viewer: viewer)
      case 4:
        let version = Bool.random(using: &random) ? current : old.randomElement(using: &random) ?? current
        pages.keep(Data("\(resource) \(version)".utf8), .gzip, of: resource, at: version)
      default:
        guard let page = pages.page(resource, at: current) else { return }
        hits += 1
        #expect(page.body == body(resource, current, nil))
        if case .some(.some(let encoded)) = page.encoded[.gzip] {
          #expect(encoded == Data("\(resource) \(current)".utf8))
        }
      }
      #expect(pages.cost <= limit)
    }
    #expect(hits > 1000)
  }

  @Test func `an older page does not replace a newer one`() {
    var pages = ReadyPagesState(limit: 10_000)
    let new = ContentVersion(lastEvent: 2, removedUsers: 1)
    pages.keep(ReadyPage(version: new, body: Data("new".utf8)), as: .grid(.newest), viewer: nil)
    for old in [ContentVersion(lastEvent: 1, removedUsers: 1), ContentVersion(lastEvent: 2, removedUsers: 0)]
    {
      pages.keep(ReadyPage(version: old, body: Data("old".utf8)), as: .grid(.newest), viewer: nil)
      #expect(pages.page(.grid(.newest), at: old) == nil)
    }
    #expect(pages.page(.grid(.newest), at: new)?.body == Data("new".utf8))
  }

  @Test func `a page is compressed once`() throws {
    let ready = ReadyPages()
    let resource = PageResource.grid(.newest)
    let version = ContentVersion(lastEvent: 1, removedUsers: 0)
    let body = Data(String(repeating: "good dog ", count: 1000).utf8)
    let page = ReadyPage(version: version, body: body)
    ready.keep(page, as: resource, viewer: nil)
    let (first, coding) = ready.body(page, of: resource, .gzip)
    #expect(coding == .gzip && first.count < 500)
    let kept = try #require(ready.page(resource, at: version))
    #expect(kept.encoded[.gzip] == .some(first))
    #expect(ready.body(kept, of: resource, .gzip).0 == first)
    #expect(ready.body(kept, of: resource, .identity).0 == body)
    // Bytes that do not become smaller are not tried again.
    let tiny = ReadyPage(version: version, body: Data([1]))
    ready.keep(tiny, as: .hearts(.newest), viewer: nil)
    #expect(ready.body(tiny, of: .hearts(.newest), .brotli).1 == .identity)
    let known = try #require(ready.page(.hearts(.newest), at: version))
    #expect(known.encoded.keys.contains(.brotli))
  }

  @Test func `the markup of a post is used only for an equal post`() throws {
    var markup = PostMarkupState(limit: 30_000)
    let hash = try #require(PhotoHash(bytes: [UInt8](repeating: 7, count: 32)))
    var posts: [Post] = (1...20).map { number in
      Post(
        id: number, author: 1, authorName: "Ada", caption: "No. \(number)", photo: hash, byteCount: 3,
        facts: PhotoFacts(width: 4, height: 3, format: .jpeg, thumbHash: []), created: .distantPast,
        taken: TakenTime(.distantPast, in: .gmt, source: .shared), favouriteCount: 0, commentCount: 0,
        isFavourite: false)
    }
    var hits = 0
    SeededRandom.draw(20_000, eventsOf: 4, seed: 9) { kind, random in
      let index = Int.random(in: 0..<posts.count, using: &random)
      let form = [PostMarkupState.Form.earlyTile(.english), .tile(.german), .json][
        Int.random(in: 0..<3, using: &random)]
      switch kind {
      case 0:
        switch Int.random(in: 0..<4, using: &random) {
        case 0: posts[index].favouriteCount += 1
        case 1: posts[index].isFavourite.toggle()
        case 2: posts[index].authorName = ["Ada", "Ben"][Int.random(in: 0..<2, using: &random)]
        default: posts[index].commentCount += 1
        }
      case 1: markup.insert("\(form) \(posts[index])", for: posts[index], form)
      default:
        guard let text = markup.text(for: posts[index], form) else { return }
        hits += 1
        #expect(text == "\(form) \(posts[index])")
      }
      #expect(markup.count <= 60)
    }
    #expect(hits > 100)
  }
}
