#if !canImport(Darwin)

import Foundation
@_spi(SwiftCorelibsFoundation) import FoundationEssentials
import Synchronization

/// Loads URLs for initializers of Foundation such as `Data(contentsOf:)`, which wait for the content.
@_spi(FoundationOverlay)
public enum RemoteContents {
  /// A session of its own: a caller may run on the delegate queue of any other session and waits there.
  private static let session = URLSession(configuration: .default)

  /// Loads a URL, and blocks the calling thread until the body is complete.
  ///
  /// - Throws: `CocoaError.fileReadUnknown`, as Foundation does on Apple's platforms. The underlying error says why the
  ///   load failed. A response with a status other than 200 to 299 is an error.
  public static func load(_ url: URL) throws -> (data: Data, response: URLResponse) {
    let result = Mutex<Result<(Data, URLResponse), any Error>?>(nil)
    let completion = DispatchSemaphore(value: 0)
    let task = session.dataTask(with: url) { data, response, error in
      result.withLock { result in
        guard let data, let response else {
          result = .failure(error ?? URLError(.unknown))
          return
        }
        result = .success((data, response))
      }
      completion.signal()
    }
    task.resume()
    completion.wait()
    do {
      guard let (data, response) = try result.withLock({ $0 })?.get() else { throw URLError(.unknown) }
      if let status = (response as? HTTPURLResponse)?.statusCode, !(200...299).contains(status) {
        throw URLError(
          .badServerResponse, message: "The server answered with status \(status) instead of the content.",
          url: url)
      }
      return (data, response)
    } catch {
      throw CocoaError(.fileReadUnknown, userInfo: [NSURLErrorKey: url, NSUnderlyingErrorKey: error])
    }
  }
}

extension Data {
  // Foundation calls the replaced initializer for each URL that is not a file URL. FoundationNetworking replaces it too:
  // in a program that links both, one of them loads the URL.
  @_dynamicReplacement(for:init(_contentsOfRemote:options:))
  private init(_contentsOfRetriever url: URL, options: Data.ReadingOptions = []) throws {
    self = try RemoteContents.load(url).data
  }
}
#endif
