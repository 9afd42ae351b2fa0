import Foundation
import KennelTestSupport

@testable import HTTPService
@testable import KennelModel
@testable import KennelWeb

/// A browser without scripts: it sends forms and keeps its cookie. It has no connection.
final class FormClient {
  struct Answer {
    var status: Int
    var fields: HTTPFields
    var text: String
    var location: String? { fields["Location"] }
  }

  let site: KennelSite
  var cookie: String?
  var fields: [String: String]

  init(
    _ site: KennelSite, signedInAs user: User? = nil, in store: KennelStore? = nil,
    _ fields: [String: String] = [:]
  )
    async throws
  {
    self.site = site
    self.fields = fields
    if let user, let store {
      cookie = "kennel=" + (try await store.accounts.beginSession(of: user.id).token.text)
    }
  }

  private func send(_ method: HTTPMethod, _ path: String, _ more: HTTPFields, body: String) async throws
    -> Answer
  {
    var all: HTTPFields = ["Host": "localhost:8080", "Accept": "text/html,*/*;q=0.8"]
    if let cookie { all.append("Cookie", cookie) }
    for (name, value) in fields { all[name] = value }
    for field in more { all[field.name] = field.value }
    let request = try HTTPRequest(method: method, target: path, fields: all, body: Array(body.utf8))
    let response = await site.respond(to: request)
    if let set = response.fields["Set-Cookie"] {
      let pair = set.prefix { $0 != ";" }
      cookie = pair.hasSuffix("=") ? nil : String(pair)
    }
    var text = ""
    if case .bytes(let bytes) = response.body.content { text = String(decoding: bytes, as: UTF8.self) }
    return Answer(status: response.status.rawValue, fields: response.fields, text: text)
  }

  func get(_ path: String) async throws -> Answer { try await send(.get, path, [:], body: "") }

  func post(_ path: String, _ form: [String: String] = [:]) async throws -> Answer {
    let characters = CharacterSet.alphanumerics
    let body = form.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: characters) ?? "")"
    }.joined(separator: "&")
    return try await send(.post, path, ["Content-Type": "application/x-www-form-urlencoded"], body: body)
  }

  func post(_ path: String, json: String) async throws -> Answer {
    try await send(
      .post, path, ["Content-Type": "application/json", "Accept": "application/json"], body: json)
  }

  func json(_ path: String) async throws -> JSONValue {
    let answer = try await send(.get, path, ["Accept": "application/json"], body: "")
    return try JSONDecoder().decode(JSONValue.self, from: Data(answer.text.utf8))
  }
}
