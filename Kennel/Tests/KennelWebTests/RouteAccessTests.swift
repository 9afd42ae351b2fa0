import Foundation
import HTTPService
import KennelTestSupport
import Retriever
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// Sends requests to all routes of a kennel that is only for people, and compares who is answered with the table in
/// docs/kennel-routes.md.
@Suite(.timeLimit(.minutes(5))) struct RouteAccessTests {
  /// A kennel with one post by Ben in an album, and what each sender needs.
  private struct Scene {
    let web: SiteFixture
    let time: ManualKennelClock
    let token: String
    let albumToken: String
    let feed: String
    let fields: [Sender: [String: String]]

    init(_ web: SiteFixture, _ time: ManualKennelClock) async throws {
      self.web = web
      self.time = time
      let ada = try await web.store.addUser("Ada", role: .owner)
      let ben = try await web.store.addUser("Ben")
      _ = try await web.store.addUser("Cleo", role: .viewer)
      try await web.addPicture(1, by: ben, caption: "Secret dog")
      // Only people with photos have a page.
      try await web.addPicture(2, by: ada, caption: "Secret cat")
      try await web.store.accounts.setPicture(try SiteFixture.jpeg(1), of: ada.id)
      _ = try await web.store.posts.addComment("Secret word", to: 1, author: ben.id)
      let album = try await web.store.albums.make(title: "Secret album", posts: [1], by: ben.id).id
      albumToken = try await web.store.posts.makeLink(to: .album(album), by: ben.id, lifetime: nil).token.text
      token = try await web.store.posts.makeLink(to: .post(1), by: ben.id, lifetime: nil).token.text
      // None of the senders ends this feed.
      let dora = try await web.store.addUser("Dora", role: .viewer)
      feed = try await web.store.accounts.makeFeed(for: dora.id).text
      let peer = try await web.store.accounts.addPeer("Hounds").text
      fields = [
        .stranger: [:], .linkHolder: [:], .albumLinkHolder: [:], .feedReader: [:],
        .peer: ["Authorization": "Bearer \(peer)"],
        .viewer: try await web.cookie("Cleo"), .member: try await web.cookie("Ben"),
        .owner: try await web.cookie("Ada"),
      ]
    }

    func ask(_ route: Route<Endpoints>, _ sender: Sender, id: Int) async throws -> SiteFixture.Answer {
      let secret =
        switch sender {
        case .linkHolder where route.access.needsLink: token
        case .albumLinkHolder where route.access.needsLink: albumToken
        case .feedReader where route.access == .feedReaders: feed
        default: String(repeating: "A", count: 43)
        }
      // Attempts with links that do not exist are limited.
      time.advance(by: .seconds(10))
      return try await web.ask(
        route.method.rawValue, route.path(id: id, secret: secret), fields[sender] ?? [:],
        body: route.method == .get ? nil : Data("{}".utf8))
    }
  }

  private func withScene(_ body: (Scene) async throws -> Void) async throws {
    let time = ManualKennelClock()
    try await withSite(clock: time.clock) {
      $0.isOpenToEveryone = false
    } _: { web in
      try await body(try await Scene(web, time))
    }
  }

  private func mayUse(_ route: Route<Endpoints>, _ sender: Sender) -> Bool {
    route.access.senders.contains(sender)
  }

  @Test func `whom the table does not name is refused, and sees nothing`() async throws {
    try await withScene { scene in
      for route in Endpoints.router.routes {
        for sender in Sender.allCases where !mayUse(route, sender) {
          let answer = try await scene.ask(route, sender, id: 1)
          let what = "\(route.method) \(route.name) by \(sender.rawValue)"
          let expected =
            switch (route.access, sender) {
            case (.linkHolders, _), (.photoLinkHolders, _), (.albumLinkHolders, _), (.feedReaders, _): 404
            case (_, .peer), (.owners, .viewer), (.owners, .member), (.sharers, .viewer): 403
            default: 401
            }
          #expect(answer.status == expected, "\(what)")
          #expect(answer.field("Cache-Control") == "no-store", "\(what)")
          if answer.status == 401 {
            #expect(answer.field("WWW-Authenticate") == "Basic realm=\"Kennel\"", "\(what)")
          }
          #expect(!(answer.text + answer.response.allHeaderFields.description).contains("Secret"), "\(what)")
        }
      }
    }
  }

  @Test func `whom the table names is answered, and no shared cache keeps the answer`() async throws {
    // Of the people who may ask, only the author gets the file, and who may share something gets its links.
    let refused: [String: [Sender]] = [
      "/posts/{id}/uploaded": [.viewer, .owner], "/posts/{id}/links": [.viewer],
      "/albums/{id}/links": [.viewer],
    ]
    try await withScene { scene in
      // A stream has no end, and the sessions of the senders must not end.
      let skipped: [(HTTPMethod, String)] = [(.get, "/events"), (.delete, "/session")]
      for route in Endpoints.router.routes
      where !skipped.contains(where: { $0 == (route.method, route.name) }) {
        for sender in Sender.allCases where mayUse(route, sender) {
          let what = "\(route.method) \(route.name) by \(sender.rawValue)"
          // Changes are requested for a post that does not exist.
          let answer = try await scene.ask(route, sender, id: route.method == .get ? 1 : 999)
          if route.access == .everyone {
            // A share leads to the page with the photos.
            #expect(answer.status != 401 || ["/session", "/share"].contains(route.name), "\(what)")
            continue
          }
          if route.method == .get, route.name == "/bin/{id}/thumbnail" {
            // The post is not in the bin.
            #expect(answer.status == 404, "\(what)")
          } else if route.method == .get, route.name == "/uploads/{name}" {
            // The request does not name a version of the protocol.
            #expect(answer.status == 412, "\(what)")
          } else if route.method == .get, refused[route.name]?.contains(sender) == true {
            #expect(answer.status == 403, "\(what)")
          } else if route.method == .get {
            #expect(answer.status == 200, "\(what)")
          } else {
            #expect(![401, 403].contains(answer.status), "\(what)")
          }
          let directives = (answer.field("Cache-Control") ?? "").components(separatedBy: ", ")
          #expect(directives.contains("private") || directives.contains("no-store"), "\(what)")
          #expect(!directives.contains("public"), "\(what)")
        }
      }
    }
  }

  @Test func `the table in the documentation is current`() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/kennel-routes.md")
    let page = try String(contentsOf: path, encoding: .utf8)
    #expect(page.contains("\n\n\(RouteTable.text)"), "The table should be:\n\(RouteTable.text)")
  }
}
