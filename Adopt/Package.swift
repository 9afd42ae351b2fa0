// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The folder of the toolchain's libraries.
///
/// The toolchain includes SwiftSyntax as libraries for its own use. They only match the compiler of the same toolchain,
/// so they are taken from the toolchain of the `swift` that reads this manifest.
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

/// Swift 6 language mode is the default of the tools version; all warnings are errors.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .unsafeFlags(["-I", host]),
]

/// The folder in which the built program looks for these libraries. `scripts/stage` installs them beside the program.
let runtimeFolder = Context.environment["ADOPT_LIBRARY_FOLDER"] ?? host

let libraries: [LinkerSetting] = [
  .unsafeFlags(["-L", host, "-Xlinker", "-rpath", "-Xlinker", runtimeFolder]),
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
    .systemLibrary(name: "CIndexStore"),
    .target(name: "AdoptTwins", dependencies: ["AdoptAnalysis", "CIndexStore"], swiftSettings: strict),
    // Symbolic links to the sources in the root package. Depending on the root package would add many dependencies.
    .target(name: "SystemFiles", swiftSettings: strict),
    .target(name: "TerminalProgram", dependencies: ["SystemFiles"], swiftSettings: strict),
    .target(
      name: "AdoptCommand", dependencies: ["AdoptAnalysis", "AdoptTwins", "SystemFiles", "TerminalProgram"],
      swiftSettings: strict),
    .executableTarget(name: "adopt", dependencies: ["AdoptCommand"], swiftSettings: strict),
    // The plug-in requests no write permission, because checking needs none. Where SwiftPM runs plug-ins in a sandbox,
    // --fix needs `swift package --allow-writing-to-package-directory`.
    .plugin(
      name: "AdoptPlugin",
      capability: .command(
        intent: .custom(
          verb: "adopt", description: "Migrate the package from completion handlers to async/await")),
      dependencies: ["adopt"]),
    // Cases with known answers, for the tests and the bench. No product contains it.
    .target(name: "AdoptCorpus", dependencies: ["AdoptAnalysis"], swiftSettings: strict),
    .executableTarget(
      name: "bench-adopt", dependencies: ["AdoptCommand", "AdoptAnalysis", "AdoptCorpus"],
      swiftSettings: strict),
    .testTarget(
      name: "AdoptAnalysisTests", dependencies: ["AdoptAnalysis", "AdoptCorpus"], swiftSettings: strict),
    .testTarget(name: "AdoptTwinsTests", dependencies: ["AdoptTwins"], swiftSettings: strict),
    .testTarget(name: "AdoptCommandTests", dependencies: ["AdoptCommand", "adopt"], swiftSettings: strict),
  ]
)
