#if !canImport(Darwin)
import Foundation
import Glibc
import Retriever
import TestSupport
import Testing

struct ArchiveTests {
  private func record(
    _ url: String = "https://dogs.example/a?size=2", method: String = "GET", status: Int? = 200,
    requestHeaders: [String: String] = [:], responseHeaders: String = ""
  ) throws -> TransactionRecord {
    let url = try #require(URL(string: url))
    var request = URLRequest(url: url)
    request.httpMethod = method
    for (name, value) in requestHeaders { request.setValue(value, forHTTPHeaderField: name) }
    var record = TransactionRecord(request: request, start: Date(timeIntervalSince1970: 1_600_000_000.125))
    record.response = status.map {
      HTTPURLResponse(
        url: url, statusCode: $0, httpVersion: "HTTP/1.1", headerBlock: Array(responseHeaders.utf8))
    }
    return record
  }

  private func recordingArchive(_ limits: TrafficArchive.Limits = .init()) -> TrafficArchive {
    let archive = TrafficArchive(limits: limits)
    archive.isRecording = true
    return archive
  }

  private func entries(of archive: TrafficArchive) throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: archive.har())
    let log = try #require((json as? [String: Any])?["log"] as? [String: Any])
    return try #require(log["entries"] as? [[String: Any]])
  }

  private func part(_ names: String..., in entry: [String: Any]) -> Any? {
    names.reduce(entry as Any?) { ($0 as? [String: Any])?[$1] }
  }

  @Test func `nothing is recorded by default`() throws {
    let archive = TrafficArchive()
    #expect(!archive.isRecording)
    archive.record(try record(), requestBody: nil, responseBody: nil)
    #expect(archive.count == 0)
    archive.isRecording = true
    archive.record(try record(), requestBody: nil, responseBody: nil)
    archive.isRecording = false
    archive.record(try record(), requestBody: nil, responseBody: nil)
    #expect(archive.count == 1)
    archive.removeAll()
    #expect(archive.count == 0)
  }

  @Test func theArchiveHasEveryPartThatTheSpecificationRequires() throws {
    let archive = recordingArchive()
    var measured = try record(
      method: "POST", requestHeaders: ["Content-Type": "text/plain"],
      responseHeaders: "Content-Type: text/plain\r\nX-A: 1\r\nX-A: 2\r\n")
    measured.nameLookupStart = 0.001
    measured.nameLookupEnd = 0.002
    measured.connectStart = 0.002
    measured.connectEnd = 0.004
    measured.tlsStart = 0.003
    measured.tlsEnd = 0.004
    measured.requestStart = 0.004
    measured.requestEnd = 0.005
    measured.responseStart = 0.010
    measured.responseEnd = 0.020
    measured.networkProtocolName = "h2"
    measured.remoteAddress = "192.0.2.1"
    measured.localPort = 4711
    measured.responseBodyBytes = 4
    measured.decodedResponseBodyBytes = 6
    archive.record(measured, requestBody: Data("woof".utf8), responseBody: Data("wau wau".utf8))
    archive.record(try record(status: nil), requestBody: nil, responseBody: nil)

    let json = try JSONSerialization.jsonObject(with: archive.har()) as? [String: Any]
    let log = try #require(json?["log"] as? [String: Any])
    #expect(log["version"] as? String == "1.2")
    #expect((log["creator"] as? [String: Any])?["name"] as? String == "Retriever")
    #expect((log["creator"] as? [String: Any])?["version"] is String)
    let entries = try #require(log["entries"] as? [[String: Any]])
    #expect(entries.count == 2)
    for entry in entries {
      #expect((entry["startedDateTime"] as? String)?.wholeMatch(of: Self.timestamp) != nil)
      #expect(entry["time"] is NSNumber)
      #expect((entry["cache"] as? [String: Any])?.isEmpty == true)
      let request = try #require(entry["request"] as? [String: Any])
      for name in ["method", "url", "httpVersion"] { #expect(request[name] is String, "\(name)") }
      for name in ["cookies", "headers", "queryString"] {
        #expect(request[name] is [[String: Any]], "\(name)")
      }
      for name in ["headersSize", "bodySize"] { #expect(request[name] is NSNumber, "\(name)") }
      let response = try #require(entry["response"] as? [String: Any])
      for name in ["statusText", "httpVersion", "redirectURL"] {
        #expect(response[name] is String, "\(name)")
      }
      for name in ["cookies", "headers"] { #expect(response[name] is [[String: Any]], "\(name)") }
      for name in ["status", "headersSize", "bodySize"] { #expect(response[name] is NSNumber, "\(name)") }
      #expect(part("content", "size", in: response) is NSNumber)
      #expect(part("content", "mimeType", in: response) is String)
      let timings = try #require(entry["timings"] as? [String: Double])
      #expect(
        Set(timings.keys) == ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"])
      // HAR 1.2: time is the sum of all timings but -1; ssl is included in connect.
      let sum = timings.filter { $0.key != "ssl" && $0.value >= 0 }.values.reduce(0, +)
      #expect(abs(sum - (try #require(entry["time"] as? Double))) < 0.001)
      for name in ["send", "wait", "receive"] { #expect((timings[name] ?? -1) >= 0) }
    }
    let first = entries[0]
    #expect(abs((try #require(first["time"] as? Double)) - 20) < 0.001)
    #expect(first["serverIPAddress"] as? String == "192.0.2.1")
    #expect(first["connection"] as? String == "4711")
    #expect(part("request", "postData", "text", in: first) as? String == "woof")
    #expect(part("request", "postData", "mimeType", in: first) as? String == "text/plain")
    #expect(part("response", "content", "text", in: first) as? String == "wau wau")
    #expect(part("response", "content", "compression", in: first) as? Int == 2)
    #expect((part("response", "headers", in: first) as? [Any])?.count == 3)
    #expect(
      part("request", "queryString", in: first) as? [[String: String]] == [["name": "size", "value": "2"]])
    #expect(part("response", "status", in: entries[1]) as? Int == 0)
  }

  private static var timestamp: Regex<Substring> { /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/ }

  @Test func `an archive contains no secrets`() throws {
    let archive = recordingArchive()
    let secret = "hush-hush"
    let url =
      "https://user:\(secret)@dogs.example/a?token=\(secret)&api%5Fkey=\(secret)&X-Amz-Signature=\(secret)"
      + "&code=\(secret)&client_secret=\(secret)&password=\(secret)&sig=\(secret)&size=2;key=\(secret)#access_token=\(secret)"
    let headers = [
      "Authorization": "Bearer \(secret)", "Proxy-Authorization": "Basic \(secret)",
      "Cookie": "id=\(secret)",
      "X-Api-Key": secret, "X-Auth-Token": secret, "Content-Type": "application/x-www-form-urlencoded",
      "Referer": "https://dogs.example/?token=\(secret)",
    ]
    let form = "user=alice&password=\(secret)&pass%77ord=\(secret)&refresh_token=\(secret)"
    let json = """
      {"access_token" : "\(secret)", "user": {"pass\\u0077ord": "\(secret)", "apiKey": ["\(secret)", {"a": "\(secret)"}]},
       "pin": 1234567, "session": {"id": "\(secret)"}, "name": "Rex", "secret": "\(secret)
      """
    let record = try record(
      url, method: "POST", status: 302, requestHeaders: headers,
      responseHeaders: "Set-Cookie: id=\(secret); Path=/\r\nLocation: /cb?code=\(secret)\r\n"
        + "Content-Type: application/json\r\nX-Refresh-Token: \(secret)\r\n")
    archive.record(record, requestBody: Data(form.utf8), responseBody: Data(json.utf8))
    let text = String(decoding: try archive.har(), as: UTF8.self)
    #expect(!text.contains(secret))
    #expect(!text.contains("1234567"))
    #expect(text.contains("Rex") && text.contains("user=alice"))
    let entry = try entries(of: archive)[0]
    #expect(
      part("request", "cookies", in: entry) as? [[String: String]] == [["name": "id", "value": "REDACTED"]])
    #expect(part("response", "redirectURL", in: entry) as? String == "/cb?code=REDACTED")
  }

  @Test func `a multipart form is not recorded`() throws {
    let archive = recordingArchive()
    let body = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhush\r\n--b--\r\n"
    archive.record(
      try record(method: "POST", requestHeaders: ["Content-Type": "multipart/form-data; boundary=b"]),
      requestBody: Data(body.utf8), responseBody: nil)
    #expect(!String(decoding: try archive.har(), as: UTF8.self).contains("hush"))
  }

  @Test func `data that is not secret is recorded unchanged`() throws {
    let archive = recordingArchive()
    let json =
      #"{"tokenizer":"x","monkey":"y","zip_code":"z","encoding":"u","a":["b",{"c":null}],"statusCode":7}"#
    archive.record(
      try record(
        "https://dogs.example/?q=a%20b&page=2&monkey=1",
        responseHeaders: "Content-Type: application/json\r\nKeep-Alive: timeout=5\r\n"),
      requestBody: nil, responseBody: Data(json.utf8))
    let entry = try entries(of: archive)[0]
    #expect(part("response", "content", "text", in: entry) as? String == json)
    #expect(
      part("request", "url", in: entry) as? String == "https://dogs.example/?q=a%20b&page=2&monkey=1")
    #expect(!String(decoding: try archive.har(), as: UTF8.self).contains("REDACTED"))
  }

  @Test func binaryBodiesAreWrittenInBase64() throws {
    let archive = recordingArchive()
    let image = Data([0xFF, 0xD8, 0xFF, 0x00])
    archive.record(try record(), requestBody: nil, responseBody: image)
    let entry = try entries(of: archive)[0]
    #expect(part("response", "content", "encoding", in: entry) as? String == "base64")
    #expect(part("response", "content", "text", in: entry) as? String == image.base64EncodedString())
  }

  @Test func `only the beginning of a long body is recorded`() throws {
    let archive = recordingArchive(.init(bodyBytes: 4))
    archive.record(try record(), requestBody: nil, responseBody: Data("abcééé".utf8))
    let entry = try entries(of: archive)[0]
    // The truncation splits a character: its first bytes are dropped, and the rest is still text.
    #expect(part("response", "content", "text", in: entry) as? String == "abc")
    #expect(part("response", "content", "comment", in: entry) as? String == "the first 4 of 9 bytes")
  }

  @Test func `the oldest entries are removed first`() throws {
    let archive = recordingArchive(.init(entries: 3))
    for number in 0..<10 {
      archive.record(try record("https://dogs.example/\(number)"), requestBody: nil, responseBody: nil)
    }
    let urls = try entries(of: archive).map { part("request", "url", in: $0) as? String }
    #expect(urls == (7...9).map { "https://dogs.example/\($0)" })
    archive.limits = .init(entries: 1)
    #expect(archive.count == 1)
  }

  @Test func `the total size of all bodies is limited`() throws {
    let archive = recordingArchive(.init(totalBodyBytes: 250))
    for _ in 0..<10 {
      archive.record(try record(), requestBody: nil, responseBody: Data(repeating: 0x61, count: 100))
    }
    #expect(archive.count == 2)
  }

  @Test func aFailureIsRecordedWithItsReason() throws {
    let archive = recordingArchive()
    var failed = try record(status: nil)
    failed.error = URLError(.timedOut)
    archive.record(failed, requestBody: nil, responseBody: nil)
    let entry = try entries(of: archive)[0]
    #expect((part("response", "comment", in: entry) as? String)?.hasPrefix("-1001") == true)
  }

  @Test func `the file is readable by its owner only and replaces an older one`() throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? manager.removeItem(at: folder) }
    let file = folder.appendingPathComponent("traffic.har")
    try Data("old".utf8).write(to: file)
    let archive = recordingArchive()
    archive.record(try record(), requestBody: nil, responseBody: nil)
    try archive.write(to: file)
    #expect(try Data(contentsOf: file) == archive.har())
    let mode = try manager.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    #expect(try manager.contentsOfDirectory(atPath: folder.path) == ["traffic.har"])
  }

  @Test func `a symbolic link is followed and kept`() throws {
    let folder = try TemporaryDirectory()
    let (link, file) = (folder.file("link"), folder.file("traffic.har"))
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "traffic.har")
    let archive = recordingArchive()
    // In the first round, the link's target does not exist.
    for _ in 0..<2 {
      archive.record(try record(), requestBody: nil, responseBody: nil)
      try archive.write(to: link)
      #expect(try Data(contentsOf: file) == archive.har())
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "traffic.har")
    }
  }

  @Test func `a pipe is written directly`() throws {
    let folder = try TemporaryDirectory()
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let descriptor = open(pipe.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let reader = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let archive = recordingArchive()
    archive.record(try record(), requestBody: nil, responseBody: nil)
    try archive.write(to: pipe)
    #expect(try reader.readToEnd() == archive.har())
    var status = stat()
    #expect(lstat(pipe.path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `a path that cannot be written throws an error with the reason`() throws {
    let missing = URL(fileURLWithPath: "/nonexistent-\(UUID().uuidString)/traffic.har")
    let error = #expect(throws: CocoaError.self) { try recordingArchive().write(to: missing) }
    #expect((error?.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code == .ENOENT)
    let message = error?.userInfo[NSLocalizedDescriptionKey] as? String
    #expect(message == "Could not write the archive to \(missing.path): No such file or directory.")
  }
}
#endif
