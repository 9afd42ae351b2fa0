// Stores cookies in the shared storage: one and then ends ("once"), the same in memory only ("off"), or without an end,
// with a line for each.
import Foundation
import Retriever

let argument = CommandLine.arguments.dropFirst().first
if argument == "off" { URLSessionConfiguration.keepsSharedStorages = false }
var number = 0
repeat {
  let properties: [HTTPCookiePropertyKey: Any] = [
    .name: "cookie\(number % 200)", .value: String(repeating: "\(number % 10)", count: 1000),
    .domain: "host\(number % 50).example", .path: "/", .expires: Date() + 3600,
  ]
  guard let cookie = HTTPCookie(properties: properties) else { exit(1) }
  HTTPCookieStorage.shared.setCookie(cookie)
  if argument == nil {
    usleep(60_000)
    FileHandle.standardOutput.write(Data("\(number)\n".utf8))
  }
  number += 1
} while argument == nil
