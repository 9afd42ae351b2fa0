// A running `kennel serve`.
import Foundation

/// Runs for one round. It starts without thumbnails of the previous round.
final class KennelService {
  let port: Int
  private let server: Child

  init(_ place: Place, _ data: KennelData) throws {
    try? FileManager.default.removeItem(at: data.directory.appending(path: "thumbnails"))
    server = try Child(
      endingWithUs: place.products.appending(path: "kennel").path,
      // Visitors have no account.
      [
        "serve", "--public", "--port", "0", "--data", data.directory.path, "--max-connections-per-address",
        "6000",
      ])
    let line = try server.line(within: 20)
    guard line.hasPrefix("Kennel is at "), let port = line.split(separator: ":").last?.dropLast(),
      let port = Int(port)
    else { throw Problem("kennel printed an unexpected line: \(line)") }
    self.port = port
  }

  deinit { stop() }

  func stop() { server.killAll() }

  var processorSeconds: Double { server.processorSeconds }
  var status: ProcessStatus { get throws { try ProcessStatus(server.pid) } }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// Signs in, and returns the session's cookie.
  func cookie(of user: Int) throws -> String {
    let form = #"{"name":"\#(KennelData.user(user))","password":"\#(KennelData.password)"}"#
    let field = try field("set-cookie", of: "session", ["-H", "Content-Type: application/json", "-d", form])
    return String(field.prefix { $0 != ";" })
  }

  /// Returns the entity tag of a page.
  func tag(of path: String) throws -> String { try field("etag", of: path, []) }

  /// Returns a header field of a response.
  private func field(_ name: String, of path: String, _ arguments: [String]) throws -> String {
    let child = try curl(["-D", "-", "-o", "/dev/null"] + arguments + [url(path)])
    while true {
      let words = try child.line(within: 20).split(separator: ":", maxSplits: 1)
      guard words.first?.lowercased() == name else { continue }
      _ = try child.finish(within: 20)
      return words[1].trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// Saves the response of a page.
  func fetch(_ path: String, into file: URL) throws {
    _ = try curl(["-o", file.path, url(path)]).finish(within: 20)
  }

  private func curl(_ arguments: [String]) throws -> Child {
    guard let program = Place.program("curl") else {
      throw Problem("curl is missing. Run `make setup-bench`")
    }
    return try Child(program, ["-sS", "--fail"] + arguments)
  }
}
