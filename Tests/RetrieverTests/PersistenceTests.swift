#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct PersistenceTests {
  private let directory: TemporaryDirectory
  private let folder: String

  init() throws {
    directory = try TemporaryDirectory()
    folder = directory.url.path + "/data/program/retriever"
  }

  private func cookieRecords() -> SharedRecords<CookieRecord> {
    SharedRecords(RecordFile(directory: folder, name: "cookies.json"))
  }

  private func credentialRecords() -> SharedRecords<CredentialRecord> {
    SharedRecords(RecordFile(directory: folder, name: "credentials.json"))
  }

  private func cookie(_ name: String, _ value: String = "v", expires: TimeInterval? = 3600) throws
    -> HTTPCookie
  {
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: ".example.com", .path: "/dogs", .secure: "TRUE",
      .sameSitePolicy: HTTPCookieStringPolicy.sameSiteLax,
    ]
    // Complete seconds, because a file contains no more.
    if let expires {
      properties[.expires] = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + expires).rounded())
    }
    return try #require(HTTPCookie(properties: properties))
  }

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    return stat("\(folder)/\(name)", &status) == 0 ? status.st_mode & 0o777 : 0
  }

  // MARK: Cookies

  @Test func `a cookie with an expiry date is there after the process, one without is not`() throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    let kept = try cookie("kept")
    storage.setCookie(kept)
    storage.setCookie(try cookie("session", expires: nil))
    storage.setCookie(try cookie("removed"))
    storage.deleteCookie(try cookie("removed"))
    #expect(records.flush())
    #expect(HTTPCookieStorage(records: cookieRecords()).cookies == [kept])
    #expect(mode("cookies.json") == 0o600)
    #expect(mode("") == 0o700)
  }

  @Test func `a cookie that becomes a session cookie is removed from the file`() throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    storage.setCookie(try cookie("a"))
    records.flush()
    storage.setCookie(try cookie("a", expires: nil))
    records.flush()
    #expect(HTTPCookieStorage(records: cookieRecords()).cookies == [])
  }

  @Test func `removing all cookies removes them from the file`() throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    for number in 0..<5 { storage.setCookie(try cookie("\(number)")) }
    records.flush()
    storage.removeCookies(since: .distantPast)
    records.flush()
    #expect(HTTPCookieStorage(records: cookieRecords()).cookies == [])
  }

  @Test func `a cookie that a limit evicts leaves the file`() throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    for number in 0...180 { storage.setCookie(try cookie("\(number)")) }
    #expect(records.flush())
    let names = Set(storage.cookies?.map(\.name) ?? [])
    #expect(names.count == 180 && !names.contains("0"))
    #expect(Set(HTTPCookieStorage(records: cookieRecords()).cookies?.map(\.name) ?? []) == names)
  }

  @Test func `a cookie of a host without dots outlives the process`() throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    let url = try #require(URL(string: "http://kennel/"))
    let cookies = HTTPCookie.cookies(
      withResponseHeaderFields: ["Set-Cookie": "a=1; Domain=kennel; Max-Age=1000"], for: url)
    storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    #expect(storage.cookies?.map(\.domain) == ["kennel"])
    #expect(records.flush())
    #expect(HTTPCookieStorage(records: cookieRecords()).cookies?.map(\.domain) == ["kennel"])
  }

  @Test func `a write at the end of the program waits for one that has begun`() async throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    storage.setCookie(try cookie("first"))
    #expect(records.flush())
    // Another process changes the file.
    let lock = open(folder + "/cookies.json.lock", O_RDWR | O_CLOEXEC)
    #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
    storage.setCookie(try cookie("second"))
    let started = Gate()
    let isWritten = Gate()
    async let begun = runOnThread {
      started.open()
      return records.flush()
    }
    async let names = runOnThread {
      _ = started.waitBlocking()
      records.flush()
      isWritten.open()
      return HTTPCookieStorage(records: cookieRecords()).cookies?.map(\.name)
    }
    // It must not end before the other process has.
    #expect(await !isWritten.wait(within: .milliseconds(100)))
    close(lock)
    #expect(await begun)
    #expect(await names == ["first", "second"])
  }

  @Test func `the date and the order of cookies outlive the process`() throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    for name in ["b", "c", "a"] { storage.setCookie(try cookie(name)) }
    // A replacement keeps its place.
    storage.setCookie(try cookie("b"))
    #expect(records.flush())
    let start = Date()
    let next = HTTPCookieStorage(records: cookieRecords())
    #expect(next.cookies?.map(\.name) == ["b", "c", "a"])
    next.setCookie(try cookie("d"))
    next.removeCookies(since: start)
    #expect(next.cookies?.map(\.name) == ["b", "c", "a"])
    next.removeCookies(since: .distantPast)
    #expect(next.cookies == [])
  }

  @Test func `cookies of a file without dates are read`() throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    storage.setCookie(try cookie("a"))
    records.flush()
    let path = URL(fileURLWithPath: folder + "/cookies.json")
    var file = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
    var stored = try #require(file["records"] as? [[String: Any]])
    for key in ["stored", "created"] { #expect(stored[0].removeValue(forKey: key) != nil) }
    file["records"] = stored
    try JSONSerialization.data(withJSONObject: file).write(to: path)
    #expect(HTTPCookieStorage(records: cookieRecords()).cookies?.map(\.name) == ["a"])
  }

  @Test func `an expired cookie is not read`() throws {
    let records = SharedRecords<CookieRecord>(
      RecordFile(directory: folder, name: "cookies.json"), now: { .distantPast })
    let storage = HTTPCookieStorage(records: records)
    storage.setCookie(try cookie("a", expires: 1))
    records.flush()
    let later = SharedRecords<CookieRecord>(
      RecordFile(directory: folder, name: "cookies.json"), now: { Date() + 10 })
    #expect(later.read().isEmpty)
  }

  @Test func `several processes keep each other's changes`() throws {
    let (first, second) = (cookieRecords(), cookieRecords())
    let (left, right) = (HTTPCookieStorage(records: first), HTTPCookieStorage(records: second))
    left.setCookie(try cookie("left"))
    left.setCookie(try cookie("both", "left"))
    right.setCookie(try cookie("right"))
    first.flush()
    second.flush()
    right.setCookie(try cookie("both", "right"))
    second.flush()
    left.deleteCookie(try cookie("left"))
    first.flush()
    let cookies = try #require(HTTPCookieStorage(records: cookieRecords()).cookies)
    #expect(Set(cookies.map { "\($0.name)=\($0.value)" }) == ["both=right", "right=v"])
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{\"version\":1}", "{\"version\":1,\"records\":[1,{},null,\"x\"]}",
    "\u{0}\u{1}\u{2}", String(repeating: "[", count: 100_000),
  ])
  func `a damaged file is read as far as possible, and replaced`(text: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/cookies.json"))
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    #expect(storage.cookies == [])
    storage.setCookie(try cookie("new"))
    #expect(records.flush())
    #expect(HTTPCookieStorage(records: cookieRecords()).cookies?.map(\.name) == ["new"])
    #expect(mode("cookies.json") == 0o600)
  }

  @Test func `one damaged record does not hide the others, and adds no header field`() throws {
    let records = cookieRecords()
    let storage = HTTPCookieStorage(records: records)
    storage.setCookie(try cookie("good"))
    storage.setCookie(try cookie("evil", "VALUE"))
    records.flush()
    let path = URL(fileURLWithPath: folder + "/cookies.json")
    let text = try String(contentsOf: path, encoding: .utf8)
    try Data(text.replacingOccurrences(of: "VALUE", with: "a\\r\\nX: y").utf8).write(to: path)
    #expect(HTTPCookieStorage(records: cookieRecords()).cookies?.map(\.name) == ["good"])
  }

  @Test func `a symbolic link or another kind of file is not read`() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    #expect(mkfifo(folder + "/cookies.json", 0o600) == 0)
    #expect(HTTPCookieStorage(records: cookieRecords()).cookies == [])
    unlink(folder + "/cookies.json")
    #expect(symlink("/etc/passwd", folder + "/cookies.json") == 0)
    #expect(RecordFile(directory: folder, name: "cookies.json").read() == nil)
  }

  @Test func `without a directory, cookies are in memory`() throws {
    let records = SharedRecords<CookieRecord>(RecordFile(directory: nil, name: "cookies.json"))
    let storage = HTTPCookieStorage(records: records)
    storage.setCookie(try cookie("a"))
    #expect(records.flush())
    #expect(storage.cookies?.count == 1)
  }

  @Test func `a directory that cannot be written loses nothing in memory`() throws {
    let blocked = directory.url.path + "/file"
    try Data().write(to: URL(fileURLWithPath: blocked))
    let records = SharedRecords<CookieRecord>(
      RecordFile(directory: blocked + "/retriever", name: "cookies.json"))
    let storage = HTTPCookieStorage(records: records)
    storage.setCookie(try cookie("a"))
    #expect(!records.flush())
    #expect(storage.cookies?.count == 1)
  }

  @Test func `only the shared storages have a file`() {
    #expect(RecordFile.programDirectory?.hasSuffix("/retriever") != false)
    let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
    #expect(storage !== HTTPCookieStorage.shared)
  }

  // MARK: Credentials

  private let space = URLProtectionSpace(
    host: "dogs.example", port: 443, protocol: "https", realm: "dogs",
    authenticationMethod: NSURLAuthenticationMethodHTTPDigest)

  @Test func `a permanent credential is there after the process, another is not`() throws {
    let proxy = URLProtectionSpace(
      proxyHost: "proxy.example", port: 8080, type: NSURLProtectionSpaceHTTPSProxy, realm: nil,
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    let records = credentialRecords()
    let storage = URLCredentialStorage(records: records)
    let permanent = URLCredential(user: "ada", password: "secret", persistence: .permanent)
    storage.set(permanent, for: space)
    storage.set(URLCredential(user: "bob", password: "builder", persistence: .forSession), for: space)
    storage.setDefaultCredential(permanent, for: proxy)
    records.flush()
    let next = URLCredentialStorage(records: credentialRecords())
    #expect(next.allCredentials == [space: ["ada": permanent], proxy: ["ada": permanent]])
    #expect(next.defaultCredential(for: proxy) == permanent)
    #expect(mode("credentials.json") == 0o600)
  }

  private let alice = URLCredential(user: "alice", password: "a", persistence: .permanent)
  private let bob = URLCredential(user: "bob", password: "b", persistence: .permanent)

  @Test(arguments: [true, false])
  func `the credential that is left is not the default after the process`(isChosen: Bool) throws {
    let records = credentialRecords()
    let storage = URLCredentialStorage(records: records)
    if isChosen { storage.setDefaultCredential(alice, for: space) } else { storage.set(alice, for: space) }
    storage.set(bob, for: space)
    storage.remove(alice, for: space)
    #expect(storage.defaultCredential(for: space) == nil)
    records.flush()
    let next = URLCredentialStorage(records: credentialRecords())
    #expect(next.allCredentials == [space: ["bob": bob]])
    #expect(next.defaultCredential(for: space) == nil)
  }

  @Test func `the only credential of a space is its default after the process`() throws {
    let records = credentialRecords()
    URLCredentialStorage(records: records).set(alice, for: space)
    records.flush()
    let next = URLCredentialStorage(records: credentialRecords())
    #expect(next.defaultCredential(for: space) == alice)
    next.set(bob, for: space)
    #expect(next.defaultCredential(for: space) == nil)
  }

  @Test func `a removed credential, and one that is permanent no longer, leave the file`() throws {
    let records = credentialRecords()
    let storage = URLCredentialStorage(records: records)
    let (ada, bob) = (
      URLCredential(user: "ada", password: "secret", persistence: .permanent),
      URLCredential(user: "bob", password: "builder", persistence: .permanent)
    )
    storage.set(ada, for: space)
    storage.set(bob, for: space)
    records.flush()
    storage.remove(ada, for: space)
    storage.set(URLCredential(user: "bob", password: "builder", persistence: .forSession), for: space)
    records.flush()
    #expect(URLCredentialStorage(records: credentialRecords()).allCredentials.isEmpty)
    let contents = try String(contentsOfFile: folder + "/credentials.json", encoding: .utf8)
    #expect(!contents.contains("secret") && !contents.contains("builder"))
  }

  // MARK: Processes

  @Test func `an ephemeral session does not open the files of the shared stores`() async {
    await #expect(processExitsWith: .success) {
      setenv("XDG_DATA_HOME", "/nowhere/before", 1)
      let session = URLSession(configuration: .ephemeral)
      #expect(session.configuration.httpCookieStorage != nil)
      setenv("XDG_DATA_HOME", "/nowhere/after", 1)
      _ = HTTPCookieStorage.shared
      #expect(RecordFile.programDirectory?.hasPrefix("/nowhere/after/") == true)
    }
  }

  /// Runs a program that stores cookies until it is killed, at a random moment.
  @Test func `a program that is killed leaves a complete file, and no others after the next change`() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<12 {
      let child = try ChildProcess(
        [ChildProcess.path(ofProgram: "storing")],
        environment: ["XDG_DATA_HOME": directory.url.path], isConversing: true)
      // The program prints a line after each write.
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        _ = try #require(child.readLine(within: .seconds(60)))
      }
      child.send(signal: SIGKILL)
      child.stop()
      let file = directory.url.appendingPathComponent("storing/retriever/cookies.json")
      let contents = try Data(contentsOf: file)
      _ = try JSONSerialization.jsonObject(with: contents)
    }
    let records = SharedRecords<CookieRecord>(
      RecordFile(directory: directory.url.path + "/storing/retriever", name: "cookies.json"))
    let count = records.read().count
    #expect(count > 0)
    HTTPCookieStorage(records: records).setCookie(try cookie("last"))
    #expect(records.flush())
    #expect(records.read().count == count + 1)
    let files = try FileManager.default.contentsOfDirectory(
      atPath: directory.url.path + "/storing/retriever")
    #expect(Set(files) == ["cookies.json", "cookies.json.lock"])
  }

  @Test(arguments: [("", true), ("none", false), ("off", false)])
  func `a program that ends normally keeps its cookies, unless it must not`(mode: String, isKept: Bool) throws
  {
    var environment = ["XDG_DATA_HOME": directory.url.path]
    if mode == "none" { environment["RETRIEVER_PERSISTENCE"] = "none" }
    let arguments = [ChildProcess.path(ofProgram: "storing"), mode == "off" ? "off" : "once"]
    let child = try ChildProcess(arguments, environment: environment)
    #expect(child.waitForEnd(within: .seconds(90)) == .exited(0))
    let path = directory.url.path + "/storing/retriever/cookies.json"
    #expect(FileManager.default.fileExists(atPath: path) == isKept)
  }
}
#endif
