#if !canImport(Darwin)
import Foundation

/// The parts of an HTTP archive, version 1.2, with the names of its specification.
struct HTTPArchive: Encodable {
  struct Log: Encodable {
    var version = "1.2"
    var creator = Creator()
    var entries: [Entry]
  }

  struct Creator: Encodable {
    var name = "Retriever"
    var version = "1"
  }

  struct Entry: Encodable {
    /// Not part of the format, which has no fractions of milliseconds.
    let start: Date
    var startedDateTime: String
    /// The total time. All times are in milliseconds.
    var time: Double
    var request: Request
    var response: Response
    var cache = Cache()
    var timings: Timings
    var serverIPAddress: String?
    /// The local port of the connection, which distinguishes parallel connections.
    var connection: String?

    private enum CodingKeys: CodingKey {
      case startedDateTime, time, request, response, cache, timings, serverIPAddress, connection
    }
  }

  struct Cache: Encodable {}

  struct Field: Encodable {
    var name: String
    var value: String
  }

  struct Request: Encodable {
    var method: String
    var url: String
    var httpVersion: String
    var cookies: [Field]
    var headers: [Field]
    var queryString: [Field]
    var postData: PostData?
    var headersSize: Int64
    var bodySize: Int64
  }

  struct PostData: Encodable {
    var mimeType: String
    var text: String
    var comment: String?
  }

  struct Response: Encodable {
    var status: Int
    var statusText: String
    var httpVersion: String
    var cookies: [Field]
    var headers: [Field]
    var content: Content
    var redirectURL: String
    var headersSize: Int64
    var bodySize: Int64
    var comment: String?
  }

  struct Content: Encodable {
    var size: Int64
    var compression: Int64?
    var mimeType: String
    var text: String?
    var encoding: String?
    var comment: String?
  }

  /// The times of the phases; -1 for a phase that did not occur.
  struct Timings: Encodable {
    var blocked: Double
    var dns: Double
    var connect: Double
    var ssl: Double
    var send: Double
    var wait: Double
    var receive: Double
  }

  var log: Log
}
#endif
