import Client
import Foundation
import FoundationNetworking

// Loads content in each way that a program may, and checks it. The argument is the base URL of Tests/Outside/server.py.

func check(_ condition: Bool, _ what: String) {
  guard condition else {
    print("overlay: failed: \(what)")
    exit(1)
  }
}

guard CommandLine.arguments.count == 2, let base = URL(string: CommandLine.arguments[1]) else {
  print("usage: app URL")
  exit(2)
}
let ids = base.appendingPathComponent("ids")
let text = "bella\nmomo\nrex\n"

let (data, response) = try await Client().get(ids)
check(String(decoding: data, as: UTF8.self) == text, "data(for:) of the client")
check(
  response.value(forHTTPHeaderField: "Content-Type") == "text/plain; charset=utf-8", "the response's fields")
check((response as Any) is HTTPURLResponse, "the type of the response is the type of this module")

let answer = await withCheckedContinuation { continuation in
  Client().get(ids) { continuation.resume(returning: try? $0.get()) }
}
check(answer == Data(text.utf8), "the completion handler of the client")

check(try Data(contentsOf: ids) == Data(text.utf8), "Data(contentsOf:)")
check(try String(contentsOf: ids, encoding: .utf8) == text, "String(contentsOf:encoding:)")
check(try NSData(contentsOf: ids, options: []) == NSData(data: Data(text.utf8)), "NSData(contentsOf:)")
check(
  try NSString(contentsOf: ids, encoding: String.Encoding.utf8.rawValue) as String == text,
  "NSString(contentsOf:)")
check(
  (try? Data(contentsOf: base.appendingPathComponent("missing"))) == nil,
  "Data(contentsOf:) of a missing page")

let configuration = URLSessionConfiguration.ephemeral
configuration.protocolClasses = [MockProtocol.self]
configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
let mocked = try await Client(session: URLSession(configuration: configuration)).get(
  URL(string: "http://mock.invalid/")!)
check(mocked.1.statusCode == 203 && mocked.0 == Data("mocked".utf8), "a protocol of the client")
print("overlay: passed")
