import Foundation
import KennelTestSupport
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebAssetTests {
  @Test func `every file of a page has an address at which it never changes`() async throws {
    try await withSite { web in
      let client = PageClient(site: web.site)
      let page = try await client.get("/").text
      let addresses = page.matches(of: /(?:href|src)="(\/assets\/[^"]+)"/).map { String($0.1) }
      #expect(addresses.count == PageAssets.styles.count + PageAssets.modules.count + 4)
      for address in addresses {
        let name = try #require(address.split(separator: "/").last.map(String.init))
        #expect(address == "/assets/\(PageAssets.fingerprint)/\(name)")
        let answer = try await client.get(address)
        #expect(answer.status == 200 && answer.body == PageAssets.all[name]?.bytes)
        #expect(answer.fields["Cache-Control"] == "public, max-age=31536000, immutable")
        #expect(answer.fields["Vary"] == "Accept-Encoding")
        #expect(try await client.get(address, ["If-None-Match": answer.tag]).status == 304)
        // The old address still works, but browsers ask again.
        let old = try await client.get("/assets/\(name)")
        #expect(old.body == answer.body && old.fields["Cache-Control"] == "no-cache")
      }
    }
  }

  @Test func `the address of another version is not found`() async throws {
    try await withSite { web in
      let client = PageClient(site: web.site)
      for path in [
        "/assets/other/app.js", "/assets/\(PageAssets.fingerprint)x/app.js",
        "/assets/\(PageAssets.fingerprint)/none.js", "/assets/\(PageAssets.fingerprint)",
        "/assets/\(PageAssets.fingerprint)/app.js/app.js",
      ] {
        let answer = try await client.get(path)
        #expect(answer.status == 404, "\(path)")
        #expect(answer.fields["Cache-Control"] == "no-store")
      }
    }
  }

  @Test func `files are compressed, except for images`() async throws {
    try await withSite { web in
      let client = PageClient(site: web.site)
      for (name, asset) in PageAssets.all.sorted(by: { $0.key < $1.key }) {
        for coding in ["gzip", "br"] {
          var tags: Set<String> = []
          for _ in 0..<2 {
            let answer = try await client.get(
              PageAssets.address(of: name), ["Accept-Encoding": coding])
            tags.insert(answer.tag)
            if asset.contentType == "image/png" || answer.coding == nil {
              #expect(answer.coding == nil && answer.body == asset.bytes, "\(name)")
              // Only a very short file does not become smaller.
              if asset.contentType != "image/png" { #expect(asset.bytes.count < 100, "\(name)") }
            } else {
              #expect(answer.coding == coding && answer.body.count < asset.bytes.count, "\(name)")
            }
          }
          #expect(tags.count == 1)
        }
        // A client over a connection decodes what it gets.
        let answer = try await web.get(PageAssets.address(of: name), ["Accept-Encoding": "gzip, br"])
        #expect(answer.data == asset.bytes, "\(name)")
      }
    }
  }
}
