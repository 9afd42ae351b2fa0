// Prints server-sent events as they arrive, and stops when the server ends the stream.
//
//   follow-events URL
import Foundation
import Retriever

guard let text = CommandLine.arguments.dropFirst().first, let url = URL(string: text) else {
  print("usage: follow-events URL")
  exit(2)
}
var request = URLRequest(url: url)
request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
let (bytes, _) = try await URLSession.shared.bytes(for: request)
for try await event in bytes.serverSentEvents {
  print("\(event.event): \(event.data)")
}
