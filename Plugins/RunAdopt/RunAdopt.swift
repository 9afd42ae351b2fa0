import Foundation
import PackagePlugin

/// The command plug-in `swift package adopt` for packages that depend on this one by URL.
///
/// The package `Adopt` cannot be a dependency by URL, because it is in a subfolder and links libraries of the toolchain.
/// This plug-in depends on nothing. It runs the `adopt` that is installed, or builds the one in this checkout.
@main
struct RunAdopt: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let program = try installed() ?? built(context)
    try AdoptProcess.run(program, arguments, in: context.package.directoryURL)
  }

  /// Returns the first program `adopt` in a folder of `PATH`.
  private func installed() -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").filter { $0.hasPrefix("/") }
      .map { URL(fileURLWithPath: String($0)).appendingPathComponent("adopt") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Builds the program in the plug-in's folder. If it is up to date, this takes about a second.
  private func built(_ context: PluginContext) throws -> URL {
    let folder = context.pluginWorkDirectoryURL.appendingPathComponent("adopt")
    let program = folder.appendingPathComponent("release/adopt")
    let isFirst = !FileManager.default.isExecutableFile(atPath: program.path)
    if isFirst {
      Diagnostics.progress(
        "adopt is not installed. Building it, which takes some minutes, but only for the first time…")
    }
    let package = try checkout(in: context.package).appendingPathComponent("Adopt").path
    let status = try AdoptProcess.status(
      of: URL(fileURLWithPath: "/usr/bin/env"),
      ["swift", "build", "--package-path", package, "--scratch-path", folder.path]
        + ["-c", "release", "--product", "adopt"] + (isFirst ? [] : ["--quiet"]),
      in: context.package.directoryURL)
    guard status == 0, FileManager.default.isExecutableFile(atPath: program.path) else {
      throw RunAdoptError(
        description:
          "Could not build adopt (exit status \(status)). Install it, for example with `make install` in a clone of its repository."
      )
    }
    return program
  }

  /// Returns the folder of the package that this plug-in belongs to.
  private func checkout(in package: Package) throws -> URL {
    var pending = [package]
    var seen: Set<Package.ID> = []
    while let next = pending.popLast() {
      guard seen.insert(next.id).inserted else { continue }
      let manifest = next.directoryURL.appendingPathComponent("Adopt/Package.swift")
      let plugin = next.directoryURL.appendingPathComponent("Plugins/RunAdopt")
      if [manifest, plugin].allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) {
        return next.directoryURL
      }
      pending += next.dependencies.map(\.package)
    }
    throw RunAdoptError(description: "The checkout that contains adopt was not found in the dependencies.")
  }
}

struct RunAdoptError: Error, CustomStringConvertible {
  let description: String
}
