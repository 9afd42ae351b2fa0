#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// The data that is needed to resume an interrupted download. It is opaque to the program, which may store it.
///
/// It contains no credentials, no cookies and no header fields with names like a secret. The session adds its own
/// again.
struct ResumeData: Codable, Sendable {
  var version = 1
  var url: URL
  /// The URL of the program's request, if a redirect led from there to another origin. What the session adds for the
  /// one must not be sent to the other.
  var start: URL?
  var headers: [String: String]
  /// An entity tag or a date. The server sends the rest only if the file has not changed.
  var validator: String
  /// The entity tag of the response, also if it is weak: a date may be the validator then, and may miss a change.
  var entityTag: String?
  var offset: Int64
  /// The partial file's name in the temporary directory. It is not a path, so that outside data cannot select another
  /// place.
  var fileName: String

  init?(_ data: Data) {
    guard let decoded = try? PropertyListDecoder().decode(ResumeData.self, from: data),
      decoded.version == 1,
      decoded.offset >= 0, PartialFileName.isValid(decoded.fileName)
    else { return nil }
    self = decoded
  }

  /// Creates the data for a file of a background session.
  init(url: URL, validator: String, entityTag: String?, offset: Int64, fileName: String) {
    self.url = url
    headers = [:]
    self.validator = validator
    self.entityTag = entityTag
    self.offset = offset
    self.fileName = fileName
  }

  /// Creates the data, or nil if the server sent nothing that can detect a change of the file, or does not support
  /// ranges. It is also nil if the program itself requested a range, because the offsets would be ambiguous.
  ///
  /// - Parameter start: The URL of the program's request, if it has another origin.
  init?(
    request: URLRequest, start: URL? = nil, response: HTTPURLResponse, offset: Int64, file: URL,
    wasResumed: Bool
  ) {
    guard let url = request.url.flatMap(Redaction.withoutCredentials), request.httpMethod == "GET",
      offset > 0, response.statusCode == (wasResumed ? 206 : 200),
      response.value(forHTTPHeaderField: "Content-Encoding") == nil,
      wasResumed
        || response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased().contains("bytes") == true
    else { return nil }
    guard let version = FileVersion(response) else { return nil }
    self.url = url
    self.start = start.flatMap(Redaction.withoutCredentials)
    validator = version.validator
    entityTag = version.entityTag
    self.offset = offset
    fileName = file.lastPathComponent
    headers = Self.headers(of: request)
  }

  /// The fields of a request that may be stored, without those that ask for a range.
  static func headers(of request: URLRequest) -> [String: String] {
    (request.allHTTPHeaderFields ?? [:]).filter { name, _ in
      !SensitiveNames.containsHeader(name) && !["range", "if-range"].contains(name.lowercased())
    }
  }

  var encoded: Data? {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return try? encoder.encode(self)
  }

  var file: URL { FileManager.default.temporaryDirectory.appendingPathComponent(fileName) }

  var request: URLRequest {
    var request = URLRequest(url: url)
    request.allHTTPHeaderFields = headers
    request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
    request.setValue(validator, forHTTPHeaderField: "If-Range")
    return request
  }

  /// Returns whether a response contains bytes that follow those in the file. It may end before the file does.
  func isContinued(by response: HTTPURLResponse) -> Bool {
    guard response.statusCode == 206,
      FileVersion(validator: validator, entityTag: entityTag).isThat(of: response)
    else { return false }
    // A server need not know the length of the file.
    return response.headerFields.contentRange?.range.lowerBound == offset
  }

  /// Returns whether a body that continues the file and had this length ends before the file does.
  func isIncomplete(after response: HTTPURLResponse, bodyLength: Int64) -> Bool {
    guard isContinued(by: response), let part = BodyPart(response.headerFields) else { return false }
    return bodyLength < part.length - offset
  }
}

/// The key in the error of a resumable download, for the data to pass to `downloadTask(withResumeData:)`.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

extension URLError {
  /// The data with which a failed download can be resumed; nil if it cannot.
  ///
  /// Pass it to ``URLSession/downloadTask(withResumeData:)`` or ``URLSession/download(resumeFrom:delegate:)``.
  public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }
}

/// The same key, as FoundationNetworking spells it.
public let URLSessionDownloadTaskResumeData = NSURLSessionDownloadTaskResumeData
#endif
