#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// The data that is needed to resume an interrupted upload. It is opaque to the program, which may store it.
///
/// It contains no credentials, no cookies and no header fields with names like a secret. The session adds its own again.
/// An upload from memory contains the complete body.
struct UploadResumeData: Codable, Sendable {
  /// The body of an interrupted upload.
  enum Body: Codable, Sendable, Equatable {
    case data(Data)
    case file(path: String, FileStamp)
    /// A stream that the delegate provides from an offset, and its stated length.
    case stream(length: Int64?)
  }

  /// What distinguishes this data from the resume data of a download.
  private var kind = "upload"
  private var format = 1
  /// The request that created the upload.
  let url: URL
  /// The URL of the program's request, if a redirect led from there to another origin.
  let start: URL?
  let method: String
  let headers: [String: String]
  let version: ResumableUploadVersion
  private let resourceURL: URL
  private let acknowledged: Int64
  private let sent: Int64
  let body: Body

  init?(_ data: Data) {
    guard let decoded = try? PropertyListDecoder().decode(UploadResumeData.self, from: data),
      decoded.isValid
    else { return nil }
    self = decoded
  }

  init?(
    request: URLRequest, start: URL? = nil, version: ResumableUploadVersion,
    resource: ResumableUploadStateMachine.Resource, body: Body
  ) {
    guard let url = request.url.flatMap(Redaction.withoutCredentials) else { return nil }
    self.url = url
    self.start = start.flatMap(Redaction.withoutCredentials)
    method = request.httpMethod ?? "POST"
    headers = (request.allHTTPHeaderFields ?? [:]).filter { name, _ in !SensitiveNames.containsHeader(name) }
    self.version = version
    resourceURL = resource.url
    acknowledged = resource.acknowledged
    sent = resource.sent
    self.body = body
    guard isValid else { return nil }
  }

  /// The data may come from outside, so nothing in it is taken for granted.
  private var isValid: Bool {
    kind == "upload" && format == 1 && ResumableUploadVersion.isUsable(url, from: url)
      && ASCII.isToken(method)
      && ResumableUploadVersion.isUsable(resourceURL, from: url)
      && acknowledged >= 0 && acknowledged <= sent && sent <= (length ?? .max)
      && hasValidBody
  }

  private var hasValidBody: Bool {
    switch body {
    case .data(let data): !data.isEmpty
    case .file(let path, let stamp): path.hasPrefix("/") && !path.utf8.contains(0) && stamp.size > 0
    case .stream(let length): (length ?? 0) >= 0
    }
  }

  var encoded: Data? {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return try? encoder.encode(self)
  }

  /// The length of the complete body, if it is known.
  var length: Int64? {
    switch body {
    case .data(let data): Int64(data.count)
    case .file(_, let stamp): stamp.size
    case .stream(let length): length
    }
  }

  var resource: ResumableUploadStateMachine.Resource {
    ResumableUploadStateMachine.Resource(url: resourceURL, acknowledged: acknowledged, sent: sent)
  }

  /// The request that created the upload, without what was removed from it.
  var request: URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.allHTTPHeaderFields = headers
    return request
  }
}

/// The key in the error of a resumable upload, for the data to pass to `uploadTask(withResumeData:)`.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"

extension URLError {
  /// The data with which an interrupted upload can be resumed; nil if it cannot be resumed.
  ///
  /// Pass it to ``URLSession/upload(resumeFrom:delegate:)`` or ``URLSession/uploadTask(withResumeData:)``.
  public var uploadTaskResumeData: Data? { userInfo[NSURLSessionUploadTaskResumeData] as? Data }
}
#endif
