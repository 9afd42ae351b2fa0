// Prints the first lines of a resource as they arrive. Leaving the loop ends the transfer.
//
//   follow-lines URL MAXIMUM
import Foundation
import Retriever

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]), let maximum = Int(arguments[2]), maximum > 0
else {
  print("usage: follow-lines URL MAXIMUM")
  exit(2)
}
for try await line in url.lines.prefix(maximum) {
  print(line)
}
