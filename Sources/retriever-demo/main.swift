import Foundation

// The program behind `make run`: what the library does, shown on a server of its own. Exits with 1 if anything
// did not come out as it should.
let terminal = Terminal()
// The server is in this process, where no proxy of the environment could reach it.
setenv("no_proxy", "127.0.0.1", 1)
do {
  let demonstration = try Demonstration(terminal: terminal)
  exit(await demonstration.run() ? 0 : 1)
} catch {
  terminal.failed("start", error)
  exit(1)
}
