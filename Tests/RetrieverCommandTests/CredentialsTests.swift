import Foundation
import Testing

@testable import RetrieverCommand

@Suite struct CredentialsTests {
  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test func aNetrcHasMachinesMacrosQuotesAndADefault() {
    let netrc = Netrc(
      """
      # mine
      machine kennel.example login rex password "bone \\"42\\" #1"
      machine Other.example
        login momo
        account x password fish
      macdef init
      machine fake.example login a password b

      default login anonymous password me@here
      """)
    #expect(netrc.entry(host: "KENNEL.example")?.password == "bone \"42\" #1")
    #expect(netrc.entry(host: "other.example")?.login == "momo")
    #expect(netrc.entry(host: "other.example")?.password == "fish")
    #expect(netrc.entry(host: "fake.example")?.login == "anonymous")
    #expect(netrc.entry(host: "kennel.example", user: "nobody") == nil)
  }

  @Test func `a netrc may have the line ends of Windows`() {
    let netrc = Netrc(
      "# mine\r\nmachine a.example login rex password bone\r\nmacdef init\r\nmachine fake.example\r\n\r\n"
        + "machine b.example login momo password fish\r\n")
    #expect(netrc.entry(host: "a.example")?.password == "bone")
    #expect(netrc.entry(host: "b.example")?.password == "fish")
    #expect(netrc.entry(host: "fake.example") == nil)
  }

  @Test func brokenNetrcsDoNoHarm() {
    for text in ["", "machine", "login x", "password", "machine a login", "\"", "machine a password \"x"] {
      _ = Netrc(text).entry(host: "a")
    }
  }

  @Test func whatWasGivenIsForTheHostsOfTheCommandLineOnly() throws {
    let credentials = Credentials(
      given: .init(user: "rex", password: "bone"), user: "rex", origins: [try url("http://a.example/x")],
      netrc: nil)
    #expect(credentials.login(for: try url("http://a.example/y"))?.user == "rex")
    #expect(credentials.login(for: try url("http://A.example:80/y"))?.user == "rex")
    #expect(credentials.login(for: try url("http://b.example/")) == nil)
    #expect(credentials.login(for: try url("https://a.example/")) == nil)
    #expect(credentials.login(for: try url("http://a.example:81/")) == nil)
  }

  @Test func `a password in a URL is for the origin of this URL only`() throws {
    let origins = try [
      url("http://ada:s%40@a.example/x"), url("http://b.example/"), url("http://bob:s2@c.example/"),
      url("http://eve:s3@a.example/y"),
    ]
    let netrc = Netrc("machine b.example login b password 2 machine a.example login rex password 1")
    let credentials = Credentials(given: nil, user: nil, origins: origins, netrc: netrc)
    #expect(credentials.login(for: try url("http://a.example/y")) == .init(user: "ada", password: "s@"))
    #expect(credentials.login(for: try url("http://b.example/"))?.user == "b")
    #expect(credentials.login(for: try url("http://c.example/"))?.user == "bob")
    #expect(credentials.login(for: try url("http://c.example:81/")) == nil)
    let named = Credentials(given: nil, user: "rex", origins: origins, netrc: netrc)
    #expect(named.login(for: try url("http://a.example/"))?.user == "rex", "the user was chosen with --user")
  }

  @Test func theDefaultEntryIsForTheHostsOfTheCommandLineOnly() throws {
    let netrc = Netrc("machine b.example login b password 2 default login d password 1")
    let credentials = Credentials(
      given: nil, user: nil, origins: [try url("https://a.example/")], netrc: netrc)
    #expect(credentials.login(for: try url("https://a.example/"))?.user == "d")
    #expect(credentials.login(for: try url("https://b.example/"))?.user == "b")
    #expect(credentials.login(for: try url("https://c.example/")) == nil)
  }
}

extension Credentials {
  fileprivate func login(for url: URL) -> Login? {
    guard let host = url.host, let scheme = url.scheme?.lowercased() else { return nil }
    return login(scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80))
  }
}
