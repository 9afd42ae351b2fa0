// The lines that h2load prints about its requests.
import Foundation

struct LoadedRequests: Equatable {
  let done: Int

  /// Reads a line such as
  /// `requests: 10 total, 10 started, 10 done, 10 succeeded, 0 failed, 0 errored, 0 timeout`. Returns nil for another line.
  ///
  /// - Throws: if requests failed, or none was done.
  init?(_ line: String) throws {
    let words = line.split(separator: " ")
    guard words.first == "requests:", words.count >= 13 else { return nil }
    guard let done = Int(words[7]), done > 0, words[9] == "0", words[11] == "0" else {
      throw Problem("h2load: \(line)")
    }
    self.done = done
  }

  /// Reads a line such as `status codes: 10 2xx, 0 3xx, 0 4xx, 0 5xx`. Returns the numbers of responses by the first
  /// digit of their status, or nil for another line.
  static func statuses(_ line: String) -> [Character: Int]? {
    let prefix = "status codes: "
    guard line.hasPrefix(prefix) else { return nil }
    var statuses: [Character: Int] = [:]
    for part in line.dropFirst(prefix.count).split(separator: ",") {
      let words = part.split(separator: " ")
      guard words.count == 2, let count = Int(words[0]), let digit = words[1].first else { return nil }
      statuses[digit] = count
    }
    return statuses
  }
}
