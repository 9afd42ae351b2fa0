import PackagePlugin

/// The command plug-in `swift package adopt`: runs the program `adopt` on the current package.
@main
struct AdoptPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    try AdoptProcess.run(context.tool(named: "adopt").url, arguments, in: context.package.directoryURL)
  }
}
