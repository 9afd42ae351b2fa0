import Foundation

// Reads HTTP/1.1 responses.
extension RawClient {
  /// A response as it was received.
  public struct Response: Sendable {
    /// The status code.
    public var status: Int
    /// The status line and the header lines, without the empty line at the end.
    public var head: String
    /// The body, without the framing of chunks.
    public var body: [UInt8]
    /// The body as UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the value of the first field with this name.
    public func field(_ name: String) -> String? {
      for line in head.components(separatedBy: "\r\n").dropFirst() {
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
          continue
        }
        return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      return nil
    }
  }

  /// Reads one line, and returns it without its line end.
  public func readLine() throws -> String {
    var line: [UInt8] = []
    while true {
      let byte = try read(exactly: 1)[0]
      if byte == 10 { return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self) }
      line.append(byte)
    }
  }

  /// Reads the status line and the header lines of a response.
  public func readHead() throws -> (status: Int, head: String) {
    var lines: [String] = []
    repeat { lines.append(try readLine()) } while lines.last != ""
    guard let status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") else {
      throw Failure(description: "no status line: \(lines[0])")
    }
    return (status, lines.dropLast().joined(separator: "\r\n"))
  }

  /// Reads one chunk of a chunked body; returns no bytes for the last one.
  public func readChunk() throws -> [UInt8] {
    guard let count = Int(try readLine(), radix: 16) else { throw Failure(description: "no chunk size") }
    let bytes = try read(exactly: count)
    _ = try readLine()
    return bytes
  }

  /// Reads a response and its body, by length, in chunks, or to the end of the connection.
  public func readResponse(hasBody: Bool = true) throws -> Response {
    let (status, head) = try readHead()
    var response = Response(status: status, head: head, body: [])
    guard hasBody, status != 304, status != 204 else { return response }
    if let length = response.field("Content-Length").flatMap(Int.init) {
      response.body = try read(exactly: length)
    } else if response.field("Transfer-Encoding") == "chunked" {
      while true {
        let chunk = try readChunk()
        if chunk.isEmpty { break }
        response.body += chunk
      }
    } else {
      response.body = try readToEnd()
    }
    return response
  }

  /// Sends a request, and returns everything that the server sends until it closes the connection.
  ///
  /// The server may respond and close the connection before it has read the complete request.
  public func exchange(_ head: String, _ body: Data = Data()) async throws -> String {
    try await blocking { client in
      try? client.send(Array(head.utf8) + body)
      return String(decoding: try client.readToEnd(), as: UTF8.self)
    }
  }
}
