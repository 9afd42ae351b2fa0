// Loads a URL in a session that waits for a network. Prints "waiting" when it waits, and the result.
import Foundation
import Retriever

final class Reporter: NSObject, URLSessionTaskDelegate {
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    FileHandle.standardOutput.write(Data("waiting\n".utf8))
  }
}

guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else { exit(2) }
let configuration = URLSessionConfiguration.ephemeral
configuration.waitsForConnectivity = CommandLine.arguments.last != "no"
let session = URLSession(configuration: configuration)
do {
  let (_, response) = try await session.data(from: url, delegate: Reporter())
  print((response as? HTTPURLResponse)?.statusCode ?? 0)
} catch {
  print((error as? URLError)?.code.rawValue ?? 0)
}
