// swift-tools-version: 6.2
import PackageDescription

// Kennel, the photo-sharing server, and HTTPService, the HTTP server that it is built on. They are a package of their
// own, so that a package that uses the root's libraries needs neither libmicrohttpd nor SQLite nor libsodium.

/// The settings of all targets. The tools version sets Swift 6 language mode. Warnings are errors.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A product of the root package.
func root(_ product: String) -> Target.Dependency { .product(name: product, package: "retriever") }

let package = Package(
  name: "kennel",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "HTTPService", targets: ["HTTPService"]),
    .executable(name: "kennel", targets: ["kennel"]),
  ],
  dependencies: [.package(name: "retriever", path: "..")],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .target(
      name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd", .when(platforms: [.linux]))]),
    .target(
      name: "HTTPService",
      dependencies: [
        "CMicroHTTPD", root("CLinux"), root("HTTPSyntax"), root("LoopThread"), root("Waiting"),
      ],
      swiftSettings: strict),

    .target(name: "Hashing", dependencies: ["CSodium"], swiftSettings: strict),

    // The parts of "Kennel on PostgreSQL and an S3-compatible store" (docs/many-processes.md).
    .target(
      name: "ObjectStorage", dependencies: ["Hashing", root("HTTPSyntax"), root("Retriever")],
      swiftSettings: strict),
    .target(
      name: "PostgresClient", dependencies: [root("CLinux"), root("LoopThread"), root("Waiting")],
      swiftSettings: strict),

    .target(name: "QRCodes", swiftSettings: strict),
    .target(
      name: "KennelStorage",
      dependencies: [
        "CSQLite", "CSodium", "Hashing", "PostgresClient", root("SystemFiles"), root("Waiting"),
      ],
      swiftSettings: strict),
    .target(
      name: "StoredPhotos", dependencies: ["Hashing", "KennelStorage", "ObjectStorage", root("Caches")],
      swiftSettings: strict),
    .target(name: "CVideoSandbox"),
    .target(
      name: "KennelModel",
      dependencies: ["CVideoSandbox", "KennelStorage", root("Caches"), root("RetrieverImages")],
      swiftSettings: strict),
    .target(
      name: "KennelPeers",
      dependencies: ["KennelModel", "KennelStorage", root("Retriever"), root("RetrieverBridges")],
      swiftSettings: strict),
    .target(
      name: "CCompression",
      linkerSettings: [
        .linkedLibrary("z", .when(platforms: [.linux])),
        .linkedLibrary("brotlienc", .when(platforms: [.linux])),
      ]),
    // page.c embeds the assets.
    .target(name: "CKennelPage", exclude: ["assets"]),
    .target(
      name: "KennelWeb",
      dependencies: [
        "CCompression", "CKennelPage", "HTTPService", "KennelModel", "KennelStorage", "QRCodes",
        root("Caches"),
        root("HTTPSyntax"), root("RetrieverImages"), root("Waiting"),
      ],
      swiftSettings: strict),
    .target(
      name: "KennelCommand",
      dependencies: [
        "HTTPService", "KennelModel", "KennelPeers", "KennelStorage", "KennelWeb", "ObjectStorage", "QRCodes",
        "StoredPhotos", root("Retriever"), root("RetrieverImages"), root("SystemFiles"),
        root("TerminalProgram"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "kennel", dependencies: ["KennelCommand", "KennelModel", root("RetrieverImages")],
      swiftSettings: strict),

    .testTarget(
      name: "HTTPServiceTests",
      dependencies: ["HTTPService", root("Retriever"), root("TestSupport"), root("Waiting")],
      swiftSettings: strict),
    .executableTarget(
      name: "kennel-writer", dependencies: ["KennelModel", "KennelStorage"],
      path: "Tests/Programs/kennel-writer", swiftSettings: strict),
    .target(
      name: "KennelTestSupport",
      dependencies: [
        "HTTPService", "KennelModel", "KennelStorage", "KennelWeb", "ObjectStorage", "PostgresTestSupport",
        "StoredPhotos", root("Retriever"), root("RetrieverImages"), root("TestSupport"),
      ],
      path: "Tests/KennelTestSupport", swiftSettings: strict),
    .testTarget(
      name: "ObjectStorageTests",
      dependencies: [
        "Hashing", "KennelTestSupport", "ObjectStorage", root("Retriever"), root("RetrieverTesting"),
        root("TestSupport"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StoredPhotosTests",
      dependencies: [
        "KennelModel", "KennelStorage", "KennelTestSupport", "KennelWeb", "ObjectStorage", "StoredPhotos",
        root("Retriever"), root("RetrieverTesting"), root("TestSupport"),
      ],
      swiftSettings: strict),
    .target(
      name: "PostgresTestSupport", dependencies: ["PostgresClient", root("TestSupport")],
      path: "Tests/PostgresTestSupport", swiftSettings: strict),
    .testTarget(
      name: "PostgresClientTests",
      dependencies: ["PostgresClient", "PostgresTestSupport", root("TestSupport")],
      swiftSettings: strict),
    .testTarget(name: "QRCodesTests", dependencies: ["QRCodes"], swiftSettings: strict),
    .testTarget(
      name: "KennelStorageTests",
      dependencies: ["KennelStorage", "KennelModel", "KennelTestSupport", root("TestSupport")],
      swiftSettings: strict),
    .testTarget(
      name: "KennelModelTests",
      dependencies: [
        "KennelModel", "KennelStorage", "KennelTestSupport", "PostgresClient", "PostgresTestSupport",
        "kennel-writer", root("RetrieverImages"), root("TestSupport"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "KennelPeersTests",
      dependencies: [
        "KennelPeers", "HTTPService", "KennelModel", "KennelStorage", "KennelTestSupport", "KennelWeb",
        root("Retriever"), root("RetrieverBridges"), root("TestSupport"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "KennelWebTests",
      dependencies: [
        "CCompression", "KennelWeb", "HTTPService", "KennelModel", "KennelStorage", "KennelTestSupport",
        root("Retriever"),
        root("RetrieverImages"), root("TestSupport"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "KennelCommandTests",
      dependencies: [
        "KennelCommand", "kennel", "KennelModel", "KennelPeers", "KennelStorage", "KennelTestSupport",
        "KennelWeb", "ObjectStorage", "PostgresClient", "PostgresTestSupport", root("Retriever"),
        root("RetrieverImages"), root("TerminalProgram"), root("TestSupport"),
      ],
      swiftSettings: strict),
  ]
)
