#if !canImport(Darwin)
  import Foundation

  /// What is needed to go on with a download that was cut off: opaque to the program, which may store it.
  ///
  /// No credential, no cookie and no header field named like a secret is in it; the session adds its own anew.
  struct ResumeData: Codable, Sendable {
    var version = 1
    var url: URL
    var headers: [String: String]
    /// An entity tag or a date: the server sends the rest only if the file is still the same one.
    var validator: String
    var offset: Int64
    /// The partial file's name in the temporary directory: a path from outside must not lead anywhere else.
    var fileName: String

    init?(_ data: Data) {
      guard let decoded = try? PropertyListDecoder().decode(ResumeData.self, from: data),
        decoded.version == 1,
        decoded.offset >= 0, DownloadFile.isName(decoded.fileName)
      else { return nil }
      self = decoded
    }

    /// Nil when the server gave nothing that could tell whether the file has changed, or does not serve ranges.
    /// Nor when the program itself asked for a part: whose offsets would be meant?
    init?(request: URLRequest, response: HTTPURLResponse, offset: Int64, file: URL, wasResumed: Bool) {
      guard let url = request.url.flatMap(Redaction.withoutCredentials), request.httpMethod == "GET",
        offset > 0, response.statusCode == (wasResumed ? 206 : 200),
        response.value(forHTTPHeaderField: "Content-Encoding") == nil,
        wasResumed
          || response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased().contains("bytes") == true
      else { return nil }
      let tag = response.value(forHTTPHeaderField: "ETag").flatMap { $0.hasPrefix("W/") ? nil : $0 }
      guard let validator = tag ?? response.value(forHTTPHeaderField: "Last-Modified") else { return nil }
      self.url = url
      self.validator = validator
      self.offset = offset
      fileName = file.lastPathComponent
      headers = (request.allHTTPHeaderFields ?? [:]).filter { name, _ in
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

    /// Whether a response brings the bytes that follow those the file has.
    func isContinued(by response: HTTPURLResponse) -> Bool {
      response.statusCode == 206
        && response.value(forHTTPHeaderField: "Content-Range")?.hasPrefix("bytes \(offset)-") == true
    }
  }

  /// In the error of a download that can be resumed: what to give to `downloadTask(withResumeData:)`.
  public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
#endif
