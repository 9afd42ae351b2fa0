import Foundation

@testable import HTTPService
@testable import KennelModel
@testable import KennelWeb

/// Requests pages of a site without a connection.
struct PageClient: Sendable {
  struct Answer: Sendable {
    var status: Int
    var tag: String
    var coding: String?
    var body: Data
    var fields: HTTPFields

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  let site: KennelSite

  func get(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
    var all: HTTPFields = ["Host": "localhost"]
    for (name, value) in fields { all.append(name, value) }
    let response = await site.respond(to: try HTTPRequest(target: path, fields: all))
    var body = Data()
    if case .bytes(let bytes) = response.body.content { body = Data(bytes) }
    return Answer(
      status: response.status.rawValue, tag: response.fields["ETag"] ?? "",
      coding: response.fields["Content-Encoding"], body: body, fields: response.fields)
  }

  static func cookie(_ session: Accounts.Session) -> [String: String] {
    ["Cookie": "kennel=\(session.token.text)"]
  }
}
