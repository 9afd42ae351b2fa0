import Foundation

// The program behind `make run`. It shows what the library does, with its own server. Exits with 1 if a step fails.
let terminal = Terminal()
// The server runs in this process, where a proxy cannot reach it.
setenv("no_proxy", "127.0.0.1", 1)
do {
  let demonstration = try Demonstration(terminal: terminal)
  exit(await demonstration.run() ? 0 : 1)
} catch {
  terminal.failed("start", error)
  exit(1)
}
