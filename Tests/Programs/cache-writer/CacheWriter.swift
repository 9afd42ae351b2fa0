#if canImport(Darwin)
@main struct CacheWriter {
  static func main() {}
}
#else
import Foundation
import Retriever

/// Stores and removes responses in a directory until it is killed, for tests of the disk cache.
///
///     cache-writer DIRECTORY SEED
///
/// The body of each response follows from its URL and a version, so that a reader can check it. The program writes a line
/// when it has stored its first response.
@main struct CacheWriter {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, var state = UInt64(arguments[2]) else { exit(64) }
    let cache = URLCache(
      memoryCapacity: 0, diskCapacity: 4 << 20,
      directory: URL(fileURLWithPath: arguments[1], isDirectory: true))
    func random(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    var isFirst = true
    while true {
      guard let url = URL(string: "http://cache.test/\(random(40))") else { exit(70) }
      let request = URLRequest(url: url)
      if random(10) == 0 {
        cache.removeCachedResponse(for: request)
        continue
      }
      let version = random(1000)
      let fields = ["Cache-Control": "max-age=3600", "Version": "\(version)"]
      guard let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)
      else { exit(70) }
      let body = Data(repeating: UInt8(version % 251), count: 1 + version * 97 % 60_000)
      cache.storeCachedResponse(CachedURLResponse(response: response, data: body), for: request)
      if isFirst { FileHandle.standardOutput.write(Data("stored\n".utf8)) }
      isFirst = false
      if random(4) == 0 { usleep(200) }
    }
  }
}
#endif
