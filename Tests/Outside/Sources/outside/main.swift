import Foundation
import Retriever

// A program outside this repository: Apple's examples, which import only Foundation and this package's products.
//
// The program starts the server, unless the first argument is the base URL of a running one.

// The server is on this machine, and a proxy from the environment could not reach it.
setenv("no_proxy", "127.0.0.1,localhost", 1)

let server: LocalServer?
let base: URL
if let argument = CommandLine.arguments.dropFirst().first {
  guard let url = URL(string: argument), url.host != nil else {
    print("usage: outside [base URL of a running server.py]")
    exit(2)
  }
  (server, base) = (nil, url)
} else {
  do {
    let started = try await LocalServer.start()
    (server, base) = (started, started.base)
  } catch {
    print("Could not start the server: \(error)")
    exit(1)
  }
}

let checks =
  photoChecks(base) + thumbnailChecks(base) + favoriteChecks(base) + signInChecks(base)
  + everywhereChecks(base) + stubChecks()
let failures = await run(checks)
server?.stop()
exit(failures == 0 ? 0 : 1)
