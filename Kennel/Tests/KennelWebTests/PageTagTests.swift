import Foundation
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite struct PageTagTests {
  private let ada = User(id: 1, name: "Ada", role: .member, created: .distantPast)

  @Test func `everything that a page depends on changes its tag`() {
    let key = Sodium.randomBytes(32)
    let tags = PageTags(key: key, title: "Dogs")
    let version = ContentVersion(lastEvent: 7, removedUsers: 1)
    let owner = User(id: 1, name: "Ada", role: .owner, created: .distantPast)
    let resources: [PageResource] = [
      .grid(.newest), .grid(.afterPost(1)), .grid(.afterPost(11)), .hearts(.newest), .hearts(.afterPost(1)),
      .photo(1, after: 0), .photo(1, after: 1), .photo(11, after: 0), .posts(.newest, limit: 30),
      .posts(.afterPost(1), limit: 30), .posts(.newest, limit: 3), .favourites(.newest, limit: 30),
      .grid(.after(PostPosition(localMilliseconds: 1, id: 1))), .grid(.month(Month(localMilliseconds: 0))),
      .grid(.after(PostPosition(localMilliseconds: 1, id: 2))), .months,
      .albums(isPage: true), .albums(isPage: false), .album(1, .newest, limit: 30, isPage: true),
      .album(1, .newest, limit: 30, isPage: false), .album(11, .newest, limit: 30, isPage: true),
      .album(1, .afterPost(1), limit: 30, isPage: true), .album(1, .newest, limit: 3, isPage: true),
      .localized(.grid(.newest), .english), .localized(.grid(.newest), .german),
      .localized(.previewed(.grid(.newest), base: "http://a"), .german),
    ]
    var seen: Set<PageTag> = []
    for resource in resources {
      for version in [
        version, ContentVersion(lastEvent: 8, removedUsers: 1), ContentVersion(lastEvent: 7, removedUsers: 2),
        ContentVersion(lastEvent: 7, lastMoment: 1, removedUsers: 1),
      ] {
        for viewer in [
          nil, ada, owner, User(id: 2, name: "Ada", role: .member, created: .distantPast),
          User(id: 1, name: "Ben", role: .member, created: .distantPast),
        ] {
          let tag = tags.tag(of: resource, at: version, for: viewer)
          #expect(seen.insert(tag).inserted)
          #expect(tags.tag(of: resource, at: version, for: viewer) == tag)
        }
      }
    }
    // Another kennel and another title have other tags.
    for other in [PageTags(key: Sodium.randomBytes(32), title: "Dogs"), PageTags(key: key, title: "Cats")] {
      #expect(!seen.contains(other.tag(of: resources[0], at: version, for: nil)))
    }
    let same = PageTags(key: key, title: "Dogs")
    #expect(
      same.tag(of: resources[0], at: version, for: ada) == tags.tag(of: resources[0], at: version, for: ada))
  }

  @Test func `a tag names the length in its own coding only`() {
    let tag = PageTag(digest: "abc-_9")
    for coding in ContentCoding.allCases {
      for length in [Int64(0), 1, 255, 65_537, 0xFFFF_FFFF] {
        let entityTag = tag.entityTag(length: length, coding)
        #expect(tag.length(in: entityTag, coding) == length)
        #expect(PageTag(digest: "abc").length(in: entityTag, coding) == nil)
        for other in ContentCoding.allCases where other != coding {
          #expect(tag.length(in: entityTag, other) == nil)
        }
      }
    }
    for text in [
      "", "abc-_9", "abc-_9.", "abc-_9.g", "abc-_9.-1", "abc-_9.+1", "abc-_9.01", "abc-_9.FF", "abc-_9.1.",
      "abc-_9.1.gzip.br", "abc-_9.ffffffffffffffffffff", ".1", "*",
    ] {
      #expect(tag.length(in: EntityTag(text), .identity) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("", "identity"), ("gzip", "gzip"), ("gzip, br", "br"), ("br;q=0.5, gzip", "gzip"),
    ("GZIP;q=1.0", "gzip"), ("br;q=0", "identity"), ("br;q=x", "identity"), ("*", "br"),
    ("*;q=0.5, br;q=0", "gzip"), ("deflate, zstd", "identity"), ("gzip;q=1.5", "identity"),
    ("gzip ; q=0.9 , br ; q=0.8", "gzip"), (",,;", "identity"), ("gzip;q=0.0001111111", "identity"),
    ("gzip;q=nan", "identity"), ("gzip;q=", "identity"),
  ])
  func `a coding is chosen that the client accepts`(accepted: String, wanted: String) {
    #expect(ContentCoding(acceptedBy: ["Accept-Encoding": accepted]).rawValue == wanted)
  }

  @Test func `bytes are compressed if that makes them smaller`() {
    let text = Data(String(repeating: "good dog ", count: 1000).utf8)
    for coding in [ContentCoding.gzip, .brotli] {
      for effort in [ContentCoding.Effort.moderate, .best] {
        let encoded = coding.encoded(text, effort: effort)
        #expect((encoded?.count ?? .max) < 500)
        #expect(coding.encoded(text, effort: effort) == encoded)
        #expect(coding.encoded(Data(), effort: effort) == nil)
        #expect(coding.encoded(Data([1]), effort: effort) == nil)
      }
    }
    #expect(ContentCoding.identity.encoded(text, effort: .best) == nil)
  }
}
