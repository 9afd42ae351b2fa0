import Foundation
import PackagePlugin

/// The command plug-in `swift package adopt`: runs the program `adopt` on the current package.
@main
struct AdoptPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "adopt").url
    process.currentDirectoryURL = context.package.directoryURL
    process.arguments = arguments.isEmpty ? ["check"] : arguments
    try process.run()
    process.waitUntilExit()
    // SwiftPM passes the exit status on; throwing an error here would only print a second message.
    if process.terminationStatus != 0 { exit(process.terminationStatus) }
  }
}
