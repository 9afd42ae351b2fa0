import Foundation
import PackagePlugin

/// `swift package adopt check` and its kin: the program `adopt` on the package at hand.
@main
struct AdoptPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "adopt").url
    process.currentDirectoryURL = context.package.directoryURL
    process.arguments = arguments.isEmpty ? ["check"] : arguments
    try process.run()
    process.waitUntilExit()
    // SwiftPM hands the status on; an error thrown here would only be a second message.
    if process.terminationStatus != 0 { exit(process.terminationStatus) }
  }
}
