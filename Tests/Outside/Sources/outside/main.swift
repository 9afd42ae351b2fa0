import Foundation
import Retriever

// What a program outside of this repository writes: Apple's listings, with no import but Foundation and what this package offers.
//
// The server is started here, unless its base URL is given as the first argument.

// The server is on this machine, where no proxy of the environment could reach it.
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
    print("The server cannot be started: \(error)")
    exit(1)
  }
}

let checks =
  photoChecks(base) + thumbnailChecks(base) + favoriteChecks(base) + signInChecks(base)
  + everywhereChecks(base)
let failures = await run(checks)
server?.stop()
exit(failures == 0 ? 0 : 1)
