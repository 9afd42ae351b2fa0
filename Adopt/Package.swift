// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The toolchain brings SwiftSyntax, built as libraries for its own use. They fit the compiler that comes with them, and
/// no other, so they are taken from where the `swift` that reads this manifest is.
let host: String = {
  let path = Context.environment["PATH"] ?? ""
  let folders = path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
  for folder in folders {
    let swift = folder.appendingPathComponent("swift").resolvingSymlinksInPath()
    let host = swift.deletingLastPathComponent().appendingPathComponent("../lib/swift/host").standardized
    if FileManager.default.fileExists(atPath: host.appendingPathComponent("SwiftParser.swiftmodule").path) {
      return host.path
    }
  }
  return "/usr/lib/swift/host"
}()

/// Swift 6 language mode is the tools version's default; a warning is an error everywhere.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-I", host]),
]

let libraries: [LinkerSetting] = [
  .unsafeFlags(["-L", host, "-Xlinker", "-rpath", "-Xlinker", host]),
  .linkedLibrary("SwiftSyntax"), .linkedLibrary("SwiftParser"), .linkedLibrary("SwiftOperators"),
  .linkedLibrary("SwiftIfConfig"), .linkedLibrary("SwiftParserDiagnostics"),
  .linkedLibrary("SwiftDiagnostics"),
]

let package = Package(
  name: "adopt",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "adopt", targets: ["adopt"]),
    .plugin(name: "AdoptPlugin", targets: ["AdoptPlugin"]),
  ],
  targets: [
    .target(name: "AdoptAnalysis", swiftSettings: strict, linkerSettings: libraries),
    .target(name: "AdoptTwins", dependencies: ["AdoptAnalysis"], swiftSettings: strict),
    // The same files as the root package's, by symbolic link: that package needs far more than this one.
    .target(name: "TerminalProgram", swiftSettings: strict),
    .target(
      name: "AdoptCommand", dependencies: ["AdoptAnalysis", "AdoptTwins", "TerminalProgram"],
      swiftSettings: strict),
    .executableTarget(name: "adopt", dependencies: ["AdoptCommand"], swiftSettings: strict),
    // It asks for no permission to write, so that looking needs none. Where SwiftPM keeps plug-ins in a sandbox, --fix
    // needs `swift package --allow-writing-to-package-directory`.
    .plugin(
      name: "AdoptPlugin",
      capability: .command(
        intent: .custom(
          verb: "adopt", description: "Take the package from completion handlers to async/await")),
      dependencies: ["adopt"]),
    .executableTarget(
      name: "bench-adopt", dependencies: ["AdoptCommand", "AdoptAnalysis"], swiftSettings: strict),
    .testTarget(name: "AdoptAnalysisTests", dependencies: ["AdoptAnalysis"], swiftSettings: strict),
    .testTarget(name: "AdoptTwinsTests", dependencies: ["AdoptTwins"], swiftSettings: strict),
    .testTarget(name: "AdoptCommandTests", dependencies: ["AdoptCommand", "adopt"], swiftSettings: strict),
  ]
)
