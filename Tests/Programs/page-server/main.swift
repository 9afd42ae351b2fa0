// A kennel with three people whose passwords cost nothing to check, for the tests in Tests/Browser:
//
//   page-server DIRECTORY PORT
//
// Writes its address and serves until it is killed.

import Foundation
import HTTPService
import KennelCore

let directory = CommandLine.arguments.dropFirst().first ?? "kennel"
let port = CommandLine.arguments.dropFirst(2).first.flatMap { UInt16($0) } ?? 0

var configuration = KennelStore.Configuration()
configuration.accounts.passwordCost = .least
let store = try await KennelStore.open(directory, configuration: configuration)
for (name, role) in [("Olga", User.Role.owner), ("Ada", .member), ("Bob", .member)] {
  // They are there already when it is started once more.
  _ = try? await store.accounts.addUser(name, password: "correct horse", role: role)
}

let site = try KennelSite(store: store, directory: directory)
var settings = HTTPServerConfiguration(address: .loopback(port: port))
settings.limits.bodySize = KennelSite.bodySizeLimit
let server = try HTTPServer(configuration: settings)
FileHandle.standardOutput.write(Data("http://127.0.0.1:\(server.port)\n".utf8))
try await server.run { await site.respond(to: $0) }
