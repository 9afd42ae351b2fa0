import Foundation
import HTTPSyntax
import Retriever

/// What a request gets: a response, an error, or nothing for some time.
///
/// ```swift
/// let slow = StubAnswer.text("woof").after(.seconds(2))
/// let interrupted = StubAnswer.data(Data(count: 1000)).losingConnection(afterBytes: 600)
/// ```
public struct StubAnswer: Sendable {
  enum Body: Sendable {
    case data(Data)
    case pieces([Data])
    case file(URL)
  }

  struct Response: Sendable {
    var status: Int
    /// In order; names may occur several times.
    var fields: [(name: String, value: String)]
    var body: Body
  }

  enum Content: Sendable {
    case response(Response)
    case failure(any Error)
    case timeOut
    case network
  }

  struct Pacing: Sendable {
    /// The bytes in each piece; nil for the answer's own pieces.
    let size: Int?
    let interval: Duration
  }

  struct Protection: Sendable {
    let user: String
    let password: String
    let realm: String
  }

  let content: Content
  private(set) var delay = Duration.zero
  private(set) var pacing: Pacing?
  private(set) var lossAfterBytes: Int?
  private(set) var protection: Protection?

  init(_ content: Content) { self.content = content }

  private init(
    status: Int, type: String? = nil, headers: [String: String] = [:], body: Body = .data(Data())
  ) {
    var fields = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    if let type, !fields.contains(where: { ASCII.equalIgnoringCase($0.name, "Content-Type") }) {
      fields.insert((name: "Content-Type", value: type), at: 0)
    }
    content = .response(Response(status: status, fields: fields, body: body))
  }

  // MARK: Responses

  /// A response without a body.
  public static func status(_ status: Int, headers: [String: String] = [:]) -> StubAnswer {
    StubAnswer(status: status, headers: headers)
  }

  /// A response with data.
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - type: The content type, unless the header fields contain one.
  ///   - status: The status code.
  ///   - headers: The header fields. `Content-Length` is added, unless they contain it.
  public static func data(
    _ data: Data, type: String = "application/octet-stream", status: Int = 200,
    headers: [String: String] = [:]
  ) -> StubAnswer {
    StubAnswer(status: status, type: type, headers: headers, body: .data(data))
  }

  /// A response with text in UTF-8.
  public static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: Int = 200,
    headers: [String: String] = [:]
  ) -> StubAnswer {
    StubAnswer(status: status, type: type, headers: headers, body: .data(Data(text.utf8)))
  }

  /// A response with a value as JSON.
  ///
  /// - Throws: `EncodingError`.
  public static func json(
    _ value: some Encodable, status: Int = 200, headers: [String: String] = [:],
    using encoder: JSONEncoder = JSONEncoder()
  ) throws -> StubAnswer {
    StubAnswer(
      status: status, type: "application/json", headers: headers, body: .data(try encoder.encode(value)))
  }

  /// A response with JSON from a text, which is not checked.
  public static func json(
    text: String, status: Int = 200, headers: [String: String] = [:]
  ) -> StubAnswer {
    StubAnswer(status: status, type: "application/json", headers: headers, body: .data(Data(text.utf8)))
  }

  /// A response with the contents of a file, which is read in pieces when a request gets this answer.
  ///
  /// If the file cannot be read then, the load fails with `URLError.cannotOpenFile`.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - type: The content type; nil for the one that belongs to the file's name.
  ///   - status: The status code.
  ///   - headers: The header fields.
  public static func file(
    _ url: URL, type: String? = nil, status: Int = 200, headers: [String: String] = [:]
  ) -> StubAnswer {
    let type = type ?? MediaType.type(ofFile: url.lastPathComponent) ?? "application/octet-stream"
    return StubAnswer(status: status, type: type, headers: headers, body: .file(url))
  }

  /// A response whose body arrives in pieces: the first one with the head, each other one an interval later.
  ///
  /// The response has no `Content-Length`, unless the header fields contain it.
  public static func pieces(
    _ pieces: [Data], every interval: Duration = .zero, type: String = "application/octet-stream",
    status: Int = 200, headers: [String: String] = [:]
  ) -> StubAnswer {
    var answer = StubAnswer(status: status, type: type, headers: headers, body: .pieces(pieces))
    answer.pacing = Pacing(size: nil, interval: interval)
    return answer
  }

  /// A redirect to a URL, which may be relative. The request that follows is answered by the stubs too.
  public static func redirect(
    to location: String, status: Int = 302, headers: [String: String] = [:]
  ) -> StubAnswer {
    StubAnswer(status: status, headers: headers.merging(["Location": location]) { _, new in new })
  }

  // MARK: Errors

  /// The load fails with `URLError`.
  public static func failure(_ code: URLError.Code) -> StubAnswer {
    StubAnswer(.failure(URLError.stub(code, "A stub fails the load with \(code).", nil)))
  }

  /// The load fails with any error.
  public static func failure(_ error: any Error) -> StubAnswer { StubAnswer(.failure(error)) }

  /// Nothing arrives until the request's time-out is over on the clock of the stubs. Then the load fails with
  /// `URLError.timedOut`.
  public static let timeOut = StubAnswer(.timeOut)

  /// The request goes to the network, with the settings of the session.
  ///
  /// Redirects come back to the stubs. Challenges of the server go to the session's delegate.
  public static let passthrough = StubAnswer(.network)

  // MARK: Changes

  /// Returns the answer with a delay before its head, on the clock of the stubs. The delay starts when the request
  /// arrives.
  public func after(_ delay: Duration) -> StubAnswer {
    var answer = self
    answer.delay = max(.zero, delay)
    return answer
  }

  /// Returns the answer with a body that arrives slowly: the first piece with the head, each other one an interval later.
  ///
  /// - Parameters:
  ///   - size: The number of bytes in a piece, at least 1.
  ///   - interval: The time between two pieces, on the clock of the stubs.
  public func inPieces(of size: Int, every interval: Duration = .zero) -> StubAnswer {
    var answer = self
    answer.pacing = Pacing(size: max(1, size), interval: max(.zero, interval))
    return answer
  }

  /// Returns the answer with a connection that is lost after some bytes of the body. The load fails with
  /// `URLError.networkConnectionLost`.
  public func losingConnection(afterBytes count: Int) -> StubAnswer {
    var answer = self
    answer.lossAfterBytes = max(0, count)
    return answer
  }

  /// Returns the answer with another header field, in addition to those with the same name.
  public func header(_ name: String, _ value: String) -> StubAnswer {
    guard case .response(var response) = content else { return self }
    response.fields.append((name, value))
    return with(.response(response))
  }

  /// Returns the answer for requests with a name and password only. Others get a challenge for HTTP Basic, which goes to
  /// the delegate of the task or the session, and finally a response with status 401.
  public func requiringBasic(user: String, password: String, realm: String = "stubs") -> StubAnswer {
    var answer = self
    answer.protection = Protection(user: user, password: password, realm: realm)
    return answer
  }

  private func with(_ content: Content) -> StubAnswer {
    var answer = StubAnswer(content)
    answer.delay = delay
    answer.pacing = pacing
    answer.lossAfterBytes = lossAfterBytes
    answer.protection = protection
    return answer
  }
}

extension StubAnswer: CustomStringConvertible {
  /// The answer in a few words.
  public var description: String {
    switch content {
    case .response(let response): "status \(response.status)"
    case .failure(let error): "the error \(error)"
    case .timeOut: "a time-out"
    case .network: "the network's response"
    }
  }
}
