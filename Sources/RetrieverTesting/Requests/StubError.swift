import Foundation
import Retriever

extension URLError {
  /// Creates an error with a sentence for a person.
  static func stub(_ code: URLError.Code, _ sentence: String, _ url: URL?) -> URLError {
    #if canImport(Darwin)
    var information: [String: Any] = [NSLocalizedDescriptionKey: sentence]
    if let url { information[NSURLErrorFailingURLErrorKey] = url }
    return URLError(code, userInfo: information)
    #else
    return URLError(code, message: sentence, url: url)
    #endif
  }
}
