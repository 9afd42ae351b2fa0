// swift-tools-version: 6.2
import PackageDescription

// A prototype: Retriever on a transport of its own instead of libcurl, to be measured. It is part of no product.
//
// All sources except those in TransferEngine/Transfers are Retriever's, through symbolic links. docs/transport.md has
// the figures and what follows from them.

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "transport",
  platforms: [.macOS(.v15)],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CPublicSuffix", pkgConfig: "libpsl"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec"),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
    .systemLibrary(name: "CLinux"),
    .target(name: "CTransferMemory"),
    .target(name: "CHTTP2Tap"),
    .target(
      name: "COwnTransport",
      linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto"), .linkedLibrary("nghttp2")]),
    .target(name: "HTTPSyntax", swiftSettings: strict),
    .target(name: "Caches", swiftSettings: strict),
    .target(name: "Waiting", swiftSettings: strict),
    .target(name: "SystemFiles", swiftSettings: strict),
    .target(name: "LoopThread", dependencies: ["CLinux"], swiftSettings: strict),
    .target(
      name: "TransferEngine",
      dependencies: [
        "CCurl", "CHTTP2Tap", "COwnTransport", "CTransferMemory", "CZlib", "CBrotli", "CZstd", "CLinux",
        "HTTPSyntax", "LoopThread", "SystemFiles", "Waiting",
      ],
      swiftSettings: strict),
    .target(
      name: "Retriever",
      dependencies: ["Caches", "HTTPSyntax", "SystemFiles", "TransferEngine", "CPublicSuffix"],
      swiftSettings: strict),
    .target(name: "TestSupport", swiftSettings: strict),
    .target(name: "RetrieverConformance", dependencies: ["TestSupport"], swiftSettings: strict),
    .executableTarget(
      name: "bench-transport", dependencies: ["Retriever"], swiftSettings: strict + [.define("RETRIEVER")]),
    .executableTarget(
      name: "conformance-transport", dependencies: ["Retriever", "RetrieverConformance"],
      swiftSettings: strict),
  ]
)
