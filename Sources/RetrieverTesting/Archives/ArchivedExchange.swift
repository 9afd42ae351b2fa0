import Foundation
import HTTPSyntax
import Retriever

/// One entry of an HTTP archive (HAR 1.2), as far as it is needed for answering requests.
struct ArchivedExchange: Sendable {
  let method: String
  let url: String
  /// The body of the request; nil if the archive has none.
  let requestBody: Data?
  let answer: StubAnswer

  var description: String { Self.description(method, url) }

  /// The request in messages, without secrets.
  private static func description(_ method: String, _ url: String) -> String {
    "\(method) \(URL(string: url).map(RequestText.url) ?? "an invalid URL")"
  }

  /// Reads the entries of an archive.
  ///
  /// - Throws: ``StubsError`` if the data are not an archive.
  static func exchanges(in data: Data, file: String) throws -> [ArchivedExchange] {
    do {
      return try JSONDecoder().decode(Archive.self, from: data).log.entries.map(ArchivedExchange.init)
    } catch {
      throw StubsError(
        .invalidArchive, "The file \(file) is not a valid HTTP archive: \(error). Record it again.")
    }
  }

  private init(_ entry: Archive.Entry) {
    method = entry.request.method
    url = entry.request.url
    requestBody = entry.request.postData.flatMap { data in
      data.isBase64 ? Data(base64Encoded: data.text ?? "") : data.text.map { Data($0.utf8) }
    }
    answer = Self.answer(
      entry.response, RequestText.excerpt(Self.description(method, url)), isHead: method == "HEAD")
  }

  /// The fields that describe how the body was sent. An archive contains the body after decoding.
  private static let framingFields: Set<String> = [
    "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive",
  ]

  /// The same for a response to HEAD, whose other fields describe the response to GET.
  private static let connectionFields: Set<String> = ["transfer-encoding", "connection", "keep-alive"]

  private static func answer(_ response: Archive.Response, _ name: String, isHead: Bool) -> StubAnswer {
    if response.status == 0 {
      // Retriever writes the code of the error and a colon. Other programs write other texts, or nothing.
      let code = response.comment.flatMap { Int($0.prefix { $0 != ":" }) }
      return .failure(
        URLError.stub(
          code.flatMap { URLError.Code(rawValue: $0) } ?? .networkConnectionLost,
          "In the archive, \(name) failed.", nil))
    }
    let content = response.content
    var body = Data()
    if let text = content.text {
      guard let decoded = content.encoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8) else {
        return .failure(
          URLError.stub(.cannotDecodeContentData, "The body of \(name) in the archive is not base64.", nil))
      }
      body = decoded
    } else if let size = content.size, size > 0, !isHead, ![204, 304].contains(response.status) {
      return .failure(
        URLError.stub(
          .cannotDecodeContentData,
          "The archive does not contain the body of \(name). Record it with contents.", nil))
    }
    let omitted = isHead ? connectionFields : framingFields
    let fields = response.headers.filter { field in
      !field.name.hasPrefix(":") && !omitted.contains(ASCII.lowercased(field.name))
    }
    var answer = StubAnswer(
      .response(
        StubAnswer.Response(
          status: response.status, fields: [],
          // The length of pieces is not stated, so a response to HEAD has only the length in the archive.
          body: isHead ? .pieces([]) : .data(body))))
    for field in fields { answer = answer.header(field.name, field.value) }
    let hasType = fields.contains { ASCII.equalIgnoringCase($0.name, "Content-Type") }
    if !hasType, let type = content.mimeType, !type.isEmpty { answer = answer.header("Content-Type", type) }
    return answer
  }
}

/// The parts of HAR 1.2 that are read.
private struct Archive: Decodable {
  struct Log: Decodable {
    let entries: [Entry]
  }

  struct Entry: Decodable {
    let request: Request
    let response: Response
  }

  struct Request: Decodable {
    let method: String
    let url: String
    let postData: PostData?
  }

  struct PostData: Decodable {
    let text: String?
    let encoding: String?
    let comment: String?

    /// HAR has no form for binary data in a request. Retriever adds a comment, other programs an encoding.
    var isBase64: Bool {
      encoding == "base64" || comment?.split(separator: ", ").contains("base64") == true
    }
  }

  struct Field: Decodable {
    let name: String
    let value: String
  }

  struct Response: Decodable {
    let status: Int
    let headers: [Field]
    let content: Content
    let comment: String?
  }

  struct Content: Decodable {
    let size: Int64?
    let mimeType: String?
    let text: String?
    let encoding: String?
  }

  let log: Log
}
