import Foundation
import HTTPService
import KennelModel
import KennelStorage
import KennelWeb
import Retriever
import RetrieverImages
import TestSupport

/// A site with a real server, and a client for it.
package struct SiteFixture: Sendable {
  package let store: KennelStore
  package let site: KennelSite
  package let session: Retriever.URLSession
  package let port: UInt16
  package let directory: TemporaryDirectory

  package struct Answer: Sendable {
    package var status: Int
    package var response: Retriever.HTTPURLResponse
    package var data: Data

    package var text: String { String(decoding: data, as: UTF8.self) }
    package func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

    /// The JSON in the body.
    package var json: JSONValue { get throws { try JSONDecoder().decode(JSONValue.self, from: data) } }
  }

  package func url(_ path: String) throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
    return url
  }

  package func request(_ method: String, _ path: String, _ fields: [String: String] = [:]) throws
    -> Retriever.URLRequest
  {
    var request = Retriever.URLRequest(url: try url(path))
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  /// Sends a request without cookies or credentials, except those in `fields`.
  package func ask(
    _ method: String, _ path: String, _ fields: [String: String] = [:], body: Data? = nil
  ) async throws -> Answer {
    var request = try request(method, path, fields)
    request.httpShouldHandleCookies = false
    let (data, response): (Data, Retriever.URLResponse)
    if let body {
      (data, response) = try await session.upload(for: request, from: body)
    } else {
      (data, response) = try await session.data(for: request)
    }
    guard let response = response as? Retriever.HTTPURLResponse else { throw URLError(.badServerResponse) }
    return Answer(status: response.statusCode, response: response, data: data)
  }

  package func get(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
    try await ask("GET", path, fields)
  }

  package func post(_ path: String, json: String, _ fields: [String: String] = [:]) async throws -> Answer {
    var fields = fields
    fields["Content-Type"] = "application/json"
    return try await ask("POST", path, fields, body: Data(json.utf8))
  }

  /// Signs in and returns the cookie to send.
  package func cookie(_ name: String = "Ada", password: String = "correct horse") async throws -> [String:
    String]
  {
    let answer = try await post("/session", json: #"{"name":"\#(name)","password":"\#(password)"}"#)
    guard answer.status == 201, let field = answer.field("Set-Cookie") else {
      throw URLError(.userAuthenticationRequired)
    }
    return ["Cookie": String(field.prefix { $0 != ";" })]
  }

  /// Posts a generated picture directly to the store.
  @discardableResult
  package func addPicture(
    _ number: Int, by user: User, caption: String = "", width: Int = 40, height: Int = 30
  ) async throws -> Post {
    let photo = try await store.photos.stage(try Self.jpeg(number, width: width, height: height))
    let facts = try await PhotoInspector.facts(ofFileAt: photo.path)
    return try await store.posts.add(photo, facts: facts, caption: caption, author: user.id)
  }

  /// Posts a camera's photo in the way of uploads, so its metadata is taken out.
  @discardableResult
  package func addCameraPhoto(
    _ number: Int, by user: User, caption: String, taken: TakenTime? = nil
  ) async throws -> Post {
    let file = try await store.photos.stage(try CameraPhoto.jpeg(number, width: 400, height: 300))
    let photo = try await NewPhoto.examining(file, in: store.photos)
    return try await store.posts.add(photo, caption: caption, author: user.id, taken: taken)
  }

  package static func basic(_ name: String, _ password: String = "correct horse") -> [String: String] {
    ["Authorization": "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()]
  }

  package static func picture(_ number: Int, width: Int, height: Int) throws -> UIImage {
    var pixels: [ImagePixels.Pixel] = []
    for y in 0..<height {
      for x in 0..<width {
        pixels.append(
          ImagePixels.Pixel(
            red: UInt8(truncatingIfNeeded: x &* 255 / width),
            green: UInt8(truncatingIfNeeded: y &* 255 / height),
            blue: UInt8(truncatingIfNeeded: number &* 37)))
      }
    }
    guard let image = UIImage(width: width, height: height, pixels: pixels) else { throw URLError(.badURL) }
    return image
  }

  /// Returns a picture that is different for each number.
  package static func jpeg(_ number: Int, width: Int = 40, height: Int = 30) throws -> Data {
    guard let data = try picture(number, width: width, height: height).jpegData(compressionQuality: 0.9)
    else {
      throw URLError(.badURL)
    }
    return data
  }

  /// Returns a picture that does not compress, so that its thumbnails are large.
  package static func noise(width: Int, height: Int) throws -> Data {
    var generator = SeededRandom(7)
    var pixels: [ImagePixels.Pixel] = []
    for _ in 0..<width * height {
      let bits = generator.next()
      pixels.append(
        ImagePixels.Pixel(
          red: UInt8(truncatingIfNeeded: bits), green: UInt8(truncatingIfNeeded: bits >> 8),
          blue: UInt8(truncatingIfNeeded: bits >> 16)))
    }
    guard let data = UIImage(width: width, height: height, pixels: pixels)?.jpegData(compressionQuality: 0.9)
    else { throw URLError(.badURL) }
    return data
  }
}

/// Any JSON value.
package enum JSONValue: Decodable, Hashable, Sendable {
  case null, bool(Bool), number(Double), string(String), array([JSONValue]), object([String: JSONValue])

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  package subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  package subscript(index: Int) -> JSONValue? {
    if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
  }

  package var string: String? { if case .string(let string) = self { string } else { nil } }
  package var number: Int? { if case .number(let number) = self { Int(number) } else { nil } }
  package var count: Int? { if case .array(let elements) = self { elements.count } else { nil } }
}

/// Runs a site with a server while `body` runs.
package func withSite<Value: Sendable>(
  in directory: TemporaryDirectory? = nil, clock: KennelClock = .system,
  timer: any Clock<Duration> = ContinuousClock(),
  _ change: (inout KennelSite.Configuration) -> Void = { _ in },
  store changeStore: (inout KennelStore.Configuration) -> Void = { _ in },
  _ body: (SiteFixture) async throws -> Value
) async throws -> Value {
  let directory = try directory ?? TemporaryDirectory()
  return try await withStore(in: directory, clock: clock, changeStore) { store in
    var configuration = KennelSite.Configuration()
    // Most tests look at the photos without an account.
    configuration.isOpenToEveryone = true
    change(&configuration)
    let site = try KennelSite(
      store: store, directory: directory.path("data"), configuration: configuration, clock: clock,
      timer: timer)
    var serverConfiguration = HTTPServerConfiguration()
    serverConfiguration.limits.maximumBodySize = KennelSite.maximumBodySize()
    serverConfiguration.refusalResponse = { KennelSite.response(to: $0) }
    let server = try HTTPServer(configuration: serverConfiguration)
    try server.start { await site.respond(to: $0) }
    let sessionConfiguration = Retriever.URLSessionConfiguration.ephemeral
    // The tests look at what the site sends, so nothing may be answered from a cache.
    sessionConfiguration.urlCache = nil
    sessionConfiguration.httpMaximumConnectionsPerHost = 500
    let session = Retriever.URLSession(configuration: sessionConfiguration)
    let fixture = SiteFixture(
      store: store, site: site, session: session, port: server.port, directory: directory)
    let result: Result<Value, any Error>
    do {
      result = .success(try await body(fixture))
    } catch {
      result = .failure(error)
    }
    session.invalidateAndCancel()
    await server.stop(within: .zero)
    await site.close()
    return try result.get()
  }
}
