// swift-tools-version: 6.2
import PackageDescription

/// The settings of all targets. The tools version sets Swift 6 language mode. Warnings are errors.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "retriever",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Retriever", targets: ["Retriever"]),
    .library(name: "RetrieverImages", targets: ["RetrieverImages"]),
    .library(name: "RetrieverBridges", targets: ["RetrieverBridges"]),
    .library(name: "RetrieverConverters", targets: ["RetrieverConverters"]),
    .library(name: "RetrieverTesting", targets: ["RetrieverTesting"]),
    .executable(name: "retriever", targets: ["retriever-cli"]),
    .library(name: "RetrieverConformance", targets: ["RetrieverConformance"]),
    .plugin(name: "RunAdopt", targets: ["RunAdopt"]),
    // For the other packages of this repository. Their interfaces may change at any time.
    .library(name: "Caches", targets: ["Caches"]),
    .library(name: "HTTPSyntax", targets: ["HTTPSyntax"]),
    .library(name: "SystemFiles", targets: ["SystemFiles"]),
    .library(name: "LoopThread", targets: ["LoopThread"]),
    .library(name: "TerminalProgram", targets: ["TerminalProgram"]),
    .library(name: "Waiting", targets: ["Waiting"]),
    .library(name: "TestSupport", targets: ["TestSupport", "TerminalTestSupport"]),
    .library(name: "CLinux", targets: ["CLinux"]),
  ],
  traits: [
    .trait(name: "HTTP3", description: "Loads use HTTP/3 if the libcurl that the program runs with has it.")
  ],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CPublicSuffix", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CLinux"),

    .target(name: "CTransferMemory"),
    .target(name: "CHTTP2Tap"),
    .target(name: "COwnTransport"),
    .target(
      name: "TransferEngine",
      dependencies: [
        "CCurl", "CHTTP2Tap", "COwnTransport", "CTransferMemory", "CZlib", "CBrotli", "CZstd", "CLinux",
        "HTTPSyntax",
        "LoopThread", "SystemFiles", "Waiting",
      ],
      swiftSettings: strict),
    .target(name: "HTTPSyntax", swiftSettings: strict),
    .target(name: "Caches", swiftSettings: strict),
    .target(name: "Waiting", swiftSettings: strict),
    .target(name: "SystemFiles", swiftSettings: strict),
    .target(
      name: "LoopThread", dependencies: [.target(name: "CLinux", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),
    .target(
      name: "Retriever",
      dependencies: [
        "Caches", "HTTPSyntax", "SystemFiles", "Waiting",
        .target(name: "TransferEngine", condition: .when(platforms: [.linux])),
        .target(name: "CPublicSuffix", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),

    .target(
      name: "CImageCodecs",
      linkerSettings: ["jpeg", "png16", "isal", "webp", "webpdemux", "lcms2"].map {
        .linkedLibrary($0, .when(platforms: [.linux]))
      }),
    .target(name: "CResampling"),
    .target(name: "CImageSandbox"),
    .target(
      name: "RetrieverImages",
      dependencies: [
        "Caches", "HTTPSyntax", "Retriever", "SystemFiles", "CImageCodecs", "CImageSandbox", "CResampling",
        "Waiting",
      ],
      swiftSettings: strict),

    .target(name: "RetrieverConverters", dependencies: ["Retriever"], swiftSettings: strict),

    .target(name: "RetrieverBridges", dependencies: ["Waiting"], swiftSettings: strict),
    .target(
      name: "RetrieverTesting", dependencies: ["HTTPSyntax", "Retriever", "Waiting"], swiftSettings: strict),

    .target(name: "TerminalProgram", dependencies: ["SystemFiles"], swiftSettings: strict),
    .target(
      name: "RetrieverCommand",
      dependencies: ["HTTPSyntax", "Retriever", "RetrieverImages", "SystemFiles", "TerminalProgram"],
      swiftSettings: strict),
    .executableTarget(name: "retriever-cli", dependencies: ["RetrieverCommand"], swiftSettings: strict),

    // Depends on nothing. SwiftPM compiles it for packages that depend on this one, and nothing else of adopt.
    .plugin(
      name: "RunAdopt",
      capability: .command(
        intent: .custom(
          verb: "adopt", description: "Migrate the package from completion handlers to async/await"))),

    .target(name: "TestSupport", swiftSettings: strict),
    .target(
      name: "TerminalTestSupport", dependencies: ["TerminalProgram", "TestSupport"], swiftSettings: strict),
    .target(name: "RetrieverConformance", dependencies: ["TestSupport"], swiftSettings: strict),
    .executableTarget(
      name: "retriever-demo", dependencies: ["Retriever", "TestSupport"], swiftSettings: strict),

    .testTarget(name: "HTTPSyntaxTests", dependencies: ["HTTPSyntax"], swiftSettings: strict),
    .testTarget(name: "WaitingTests", dependencies: ["Waiting", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "CachesTests", dependencies: ["Caches", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "SystemFilesTests", dependencies: ["SystemFiles", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "LoopThreadTests", dependencies: ["LoopThread"], swiftSettings: strict),
    .testTarget(
      name: "TransferEngineTests",
      dependencies: ["TransferEngine", "CTransferMemory", "TestSupport", "CZlib", "CZstd"],
      swiftSettings: strict),
    .executableTarget(
      name: "waiting", dependencies: ["Retriever"], path: "Tests/Programs/waiting", swiftSettings: strict),
    .executableTarget(
      name: "storing", dependencies: ["Retriever"], path: "Tests/Programs/storing", swiftSettings: strict),
    .executableTarget(
      name: "transferring", dependencies: ["Retriever"], path: "Tests/Programs/transferring",
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverTests",
      dependencies: [
        "Caches", "HTTPSyntax", "Retriever", "SystemFiles", "TestSupport", "cache-writer", "storing",
        "transferring", "waiting",
        .target(name: "TransferEngine", condition: .when(platforms: [.linux])),
        .target(name: "CHTTP2Tap", condition: .when(platforms: [.linux])),
        .target(name: "CTransferMemory", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "image-sandbox", dependencies: ["RetrieverImages"], path: "Tests/Programs/image-sandbox",
      swiftSettings: strict),
    .executableTarget(
      name: "sandbox-trial", dependencies: ["CImageSandbox"], path: "Tests/Programs/sandbox-trial",
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverImagesTests",
      dependencies: [
        "Caches", "RetrieverImages", "CImageCodecs", "CResampling", "Retriever", "TestSupport",
        "image-sandbox",
        "sandbox-trial",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "main-thread-bridge", dependencies: ["RetrieverBridges"],
      path: "Tests/Programs/main-thread-bridge",
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverBridgesTests",
      dependencies: ["RetrieverBridges", "TestSupport", "main-thread-bridge", "Waiting"],
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverTestingTests", dependencies: ["Retriever", "RetrieverTesting", "TestSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "interrupted", dependencies: ["TerminalProgram"], path: "Tests/Programs/interrupted",
      swiftSettings: strict),
    .testTarget(
      name: "TerminalProgramTests", dependencies: ["TerminalProgram", "TestSupport", "interrupted"],
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverCommandTests",
      dependencies: [
        "RetrieverCommand", "retriever-cli", "Retriever", "RetrieverImages", "TerminalProgram",
        "TerminalTestSupport", "TestSupport",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "cache-writer", dependencies: ["Retriever"], path: "Tests/Programs/cache-writer",
      swiftSettings: strict),
    .executableTarget(
      name: "soak", dependencies: ["Retriever", "TestSupport"], path: "Tests/Programs/soak",
      swiftSettings: strict),
    .executableTarget(
      name: "conformance-retriever", dependencies: ["Retriever", "RetrieverConformance", "TestSupport"],
      path: "Tests/Programs/conformance-retriever",
      swiftSettings: strict),
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["Retriever", "RetrieverConformance", "TestSupport", "conformance-retriever"],
      swiftSettings: strict),
  ]
)

// `make test` builds only the engine's tests for ThreadSanitizer, without those of values, which threads do not share.
if let names = Context.environment["RETRIEVER_TEST_TARGETS"]?.split(separator: " "), !names.isEmpty {
  package.targets.removeAll { target in target.type == .test && !names.contains { $0 == target.name } }
  for target in package.targets where target.name == "TransferEngineTests" {
    target.exclude.append("Values")
  }
}
