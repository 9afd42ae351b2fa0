import Foundation
import Retriever
import TerminalProgram

/// The list of images for a collage: one ID or URL per line, from a URL, a file or standard input.
package struct CollageList: Sendable {
  enum Place: Sendable, Equatable {
    case web(URL)
    case file(String)
  }

  let place: Place
  /// The URL of the IDs. An ID replaces `{id}`, or is appended.
  let base: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    let text = arguments.operands.first ?? ""
    if text.hasPrefix("file:"), let url = URL(string: text), url.isFileURL {
      place = .file(url.path)
    } else {
      place = text.contains("://") ? .web(try ParsedArguments.webURL(text)) : .file(text)
    }
    if let base = arguments.value("base") {
      _ = try ParsedArguments.webURL(base.replacingOccurrences(of: "{id}", with: "id"))
    }
    base = arguments.value("base")
  }

  package init(remote url: URL, base: String?) {
    place = .web(url)
    self.base = base
  }

  var shown: String {
    switch place {
    case .web(let url): url.shown
    case .file(let path): path == "-" ? "standard input" : path
    }
  }

  var namedURLs: [URL] {
    var urls: [URL] = []
    if case .web(let url) = place { urls.append(url) }
    if let base, let url = URL(string: base.replacingOccurrences(of: "{id}", with: "id")) { urls.append(url) }
    return urls
  }

  /// Returns the URL of a line. A list from a server never leads to a file on this machine.
  package func url(of line: String) throws(Failure) -> URL {
    if line.hasPrefix("http://") || line.hasPrefix("https://"), let url = URL(string: line) { return url }
    if case .file = place, line.hasPrefix("file:///"), let url = URL(string: line) { return url }
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":"))
    let id = line.addingPercentEncoding(withAllowedCharacters: allowed) ?? line
    let text: String?
    switch (base, place) {
    case (let base?, _):
      text = base.contains("{id}") ? base.replacingOccurrences(of: "{id}", with: id) : base + id
    case (nil, .web(let url)): text = URL(string: id, relativeTo: url)?.absoluteString
    case (nil, .file(let path)) where path != "-":
      return URL(fileURLWithPath: line, relativeTo: URL(fileURLWithPath: path).deletingLastPathComponent())
    case (nil, .file): text = nil
    }
    guard let url = text.flatMap(URL.init(string:)), url.scheme == "http" || url.scheme == "https" else {
      throw Failure(.usage, "The line is not a valid URL. Use --base URL if the list contains IDs.")
    }
    return url
  }

  /// Returns a line as it may be displayed: an ID, or a URL without secrets.
  package static func shown(_ line: String) -> String {
    line.contains("://") ? URL(string: line)?.shown ?? "A line that is not a valid URL" : line
  }

  /// Returns the lines as they arrive, without blank lines and comments.
  func ids(_ work: ImageWork) async throws -> AsyncThrowingStream<String, any Error> {
    switch place {
    case .web(let url):
      let session = try work.context.makeSession(work.credentials)
      let (bytes, answer) = try await session.bytes(for: work.request(for: url))
      if let response = answer as? HTTPURLResponse, response.statusCode >= 400 {
        throw Failure.httpStatus(response)
      }
      return Self.ids(bytes.lines)
    case .file(let path): return Self.ids(try InputFile.open(path).bytes.lines)
    }
  }

  /// Returns the lines one at a time, so that a long list is not read faster than it is processed.
  private static func ids<Lines: AsyncSequence & Sendable>(
    _ lines: Lines
  ) -> AsyncThrowingStream<String, any Error> where Lines.Element == String {
    let source = LineSource(lines)
    return AsyncThrowingStream { try await source.next() }
  }
}

/// Serializes access to an iterator, which only one task at a time may use.
private actor LineSource<Lines: AsyncSequence & Sendable> where Lines.Element == String {
  private let lines: Lines
  private var iterator: Lines.AsyncIterator?

  init(_ lines: Lines) { self.lines = lines }

  func next() async throws -> String? {
    // Removed while in use, so that no other call can use it.
    var iterator = self.iterator.take() ?? lines.makeAsyncIterator()
    while let line = try await iterator.next(isolation: #isolation) {
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.isEmpty || text.hasPrefix("#") { continue }
      self.iterator = iterator
      return text
    }
    return nil
  }
}
