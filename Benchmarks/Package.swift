// swift-tools-version: 6.2
import PackageDescription

// A separate package, because it links FoundationNetworking for comparison. The root package must not link it.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "retriever-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "retriever", path: ".."), .package(name: "kennel", path: "../Kennel")],
  targets: [
    .executableTarget(name: "bench", swiftSettings: strict),
    .executableTarget(
      name: "bench-retriever",
      dependencies: [.product(name: "Retriever", package: "retriever")],
      swiftSettings: strict + [.define("RETRIEVER")]),
    // Uses the files of bench-retriever through symbolic links, so that both clients do the same work.
    .executableTarget(name: "bench-foundation", swiftSettings: strict),
    .systemLibrary(name: "CMalloc"),
    .executableTarget(
      name: "bench-images",
      dependencies: [
        .product(name: "Retriever", package: "retriever"),
        .product(name: "RetrieverImages", package: "retriever"),
        "CMalloc",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "bench-thumbnails",
      dependencies: [
        .product(name: "HTTPService", package: "kennel"),
        .product(name: "RetrieverImages", package: "retriever"),
      ],
      swiftSettings: strict),
    // Uses the drawing code of TestSupport through symbolic links, because TestSupport is not a product.
    .executableTarget(name: "bench-pictures", swiftSettings: strict),
    // The parts of kennel-load that are values. Uses the random numbers of TestSupport through a symbolic link, so that
    // Tests/Benchmarks needs no other package.
    .target(name: "KennelLoad", swiftSettings: strict),
    .executableTarget(
      name: "kennel-load",
      dependencies: [
        "KennelLoad",
        .product(name: "Retriever", package: "retriever"),
        .product(name: "RetrieverImages", package: "retriever"),
        .product(name: "TerminalProgram", package: "retriever"),
        .product(name: "TestSupport", package: "retriever"),
      ],
      swiftSettings: strict),
    // Also imports TestSupport, a dependency of RetrieverConformance.
    .executableTarget(
      name: "differential",
      dependencies: [
        .product(name: "Retriever", package: "retriever"),
        .product(name: "RetrieverConformance", package: "retriever"),
      ],
      swiftSettings: strict),
    // Uses the client files of Retriever's tests through symbolic links.
    .executableTarget(
      name: "conformance-foundation",
      dependencies: [.product(name: "RetrieverConformance", package: "retriever")],
      swiftSettings: strict),
    .executableTarget(
      name: "conformance-curl",
      dependencies: [.product(name: "RetrieverConformance", package: "retriever")],
      swiftSettings: strict),
  ]
)
