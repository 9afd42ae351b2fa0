// Uploads a file piece by piece, and prints where the server put it.
//
//   upload-file FILE URL
import Foundation
import Retriever

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[2]) else {
  print("usage: upload-file FILE URL")
  exit(2)
}
var request = URLRequest(url: url)
request.httpMethod = "POST"
request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
let (_, response) = try await URLSession.shared.upload(
  for: request, fromFile: URL(fileURLWithPath: arguments[1]))
guard let response = response as? HTTPURLResponse, response.statusCode == 201 else {
  print("The server did not store the file.")
  exit(1)
}
print("stored at \(response.value(forHTTPHeaderField: "Location") ?? "an unknown place")")
