// swift-tools-version: 6.2
import PackageDescription

/// The settings of all targets. The tools version sets Swift 6 language mode. Warnings are errors.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "retriever",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Retriever", targets: ["Retriever"]),
    .library(name: "RetrieverImages", targets: ["RetrieverImages"]),
    .library(name: "RetrieverBridges", targets: ["RetrieverBridges"]),
    .library(name: "HTTPService", targets: ["HTTPService"]),
    .executable(name: "retriever", targets: ["retriever-cli"]),
    .executable(name: "kennel", targets: ["kennel"]),
    .library(name: "RetrieverConformance", targets: ["RetrieverConformance"]),
  ],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CPublicSuffix", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CLinux"),

    .target(name: "CTransferMemory"),
    .target(name: "CHTTP2Tap"),
    .target(
      name: "TransferEngine",
      dependencies: [
        "CCurl", "CHTTP2Tap", "CTransferMemory", "CZlib", "CBrotli", "CZstd", "CLinux", "HTTPSyntax",
      ],
      swiftSettings: strict),
    .target(name: "HTTPSyntax", swiftSettings: strict),
    .target(
      name: "Retriever",
      dependencies: [
        "HTTPSyntax",
        .target(name: "TransferEngine", condition: .when(platforms: [.linux])),
        .target(name: "CPublicSuffix", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),

    .target(
      name: "CImageCodecs",
      linkerSettings: ["jpeg", "png16", "isal", "webp", "webpdemux", "gif", "lcms2"].map {
        .linkedLibrary($0, .when(platforms: [.linux]))
      }),
    .target(name: "CResampling"),
    .target(
      name: "RetrieverImages", dependencies: ["HTTPSyntax", "Retriever", "CImageCodecs", "CResampling"],
      swiftSettings: strict),

    .target(name: "RetrieverBridges", swiftSettings: strict),

    .target(
      name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd", .when(platforms: [.linux]))]),
    .target(
      name: "HTTPService", dependencies: ["CMicroHTTPD", "CLinux", "HTTPSyntax"], swiftSettings: strict),

    .target(name: "TerminalProgram", swiftSettings: strict),
    .target(
      name: "RetrieverCommand",
      dependencies: ["HTTPSyntax", "Retriever", "RetrieverImages", "TerminalProgram"],
      swiftSettings: strict),
    .executableTarget(name: "retriever-cli", dependencies: ["RetrieverCommand"], swiftSettings: strict),

    // page.c embeds the assets.
    .target(name: "CKennelPage", exclude: ["assets"]),
    .target(
      name: "KennelCore",
      dependencies: [
        "CKennelPage", "CSQLite", "CSodium", "HTTPService", "HTTPSyntax", "Retriever", "RetrieverBridges",
        "RetrieverImages",
      ],
      swiftSettings: strict),

    .target(
      name: "KennelCommand",
      dependencies: ["HTTPService", "KennelCore", "Retriever", "RetrieverImages", "TerminalProgram"],
      swiftSettings: strict),
    .executableTarget(name: "kennel", dependencies: ["KennelCommand"], swiftSettings: strict),

    .target(name: "TestSupport", swiftSettings: strict),
    .target(
      name: "TerminalTestSupport", dependencies: ["TerminalProgram", "TestSupport"], swiftSettings: strict),
    .target(name: "RetrieverConformance", dependencies: ["TestSupport"], swiftSettings: strict),
    .executableTarget(
      name: "retriever-demo", dependencies: ["Retriever", "TestSupport"], swiftSettings: strict),

    .testTarget(
      name: "TransferEngineTests",
      dependencies: ["TransferEngine", "CTransferMemory", "TestSupport", "CZlib", "CZstd"],
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverTests",
      dependencies: [
        "Retriever", "TestSupport",
        .target(name: "TransferEngine", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverImagesTests",
      dependencies: ["RetrieverImages", "CImageCodecs", "CResampling", "Retriever", "TestSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "main-thread-bridge", dependencies: ["RetrieverBridges"],
      path: "Tests/Programs/main-thread-bridge",
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverBridgesTests", dependencies: ["RetrieverBridges", "TestSupport", "main-thread-bridge"],
      swiftSettings: strict),
    .testTarget(
      name: "RetrieverCommandTests",
      dependencies: [
        "RetrieverCommand", "retriever-cli", "interrupted", "Retriever", "RetrieverImages", "TerminalProgram",
        "TerminalTestSupport", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "HTTPServiceTests", dependencies: ["HTTPService", "Retriever", "TestSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "interrupted", dependencies: ["TerminalProgram"], path: "Tests/Programs/interrupted",
      swiftSettings: strict),
    .executableTarget(
      name: "kennel-writer", dependencies: ["KennelCore"], path: "Tests/Programs/kennel-writer",
      swiftSettings: strict),
    .testTarget(
      name: "KennelCoreTests",
      dependencies: [
        "KennelCore", "HTTPService", "Retriever", "RetrieverBridges", "RetrieverImages", "TestSupport",
        "kennel-writer",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "KennelCommandTests",
      dependencies: [
        "KennelCommand", "kennel", "KennelCore", "Retriever", "RetrieverImages", "TerminalProgram",
        "TerminalTestSupport", "TestSupport",
      ],
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
