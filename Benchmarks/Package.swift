// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it links FoundationNetworking to measure against it, which the root package must never do.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "retriever-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "retriever", path: "..")],
  targets: [
    .executableTarget(name: "bench", swiftSettings: strict),
    .executableTarget(
      name: "bench-retriever",
      dependencies: [.product(name: "Retriever", package: "retriever")],
      swiftSettings: strict + [.define("RETRIEVER")]),
    // The same files as bench-retriever by symbolic link, so that both clients do the same work.
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
        .product(name: "HTTPService", package: "retriever"),
        .product(name: "RetrieverImages", package: "retriever"),
      ],
      swiftSettings: strict),
    // What it draws with is TestSupport's, by symbolic link: that is no product.
    .executableTarget(name: "bench-pictures", swiftSettings: strict),
    // TestSupport comes with RetrieverConformance.
    .executableTarget(
      name: "differential",
      dependencies: [
        .product(name: "Retriever", package: "retriever"),
        .product(name: "RetrieverConformance", package: "retriever"),
      ],
      swiftSettings: strict),
    // The files of its client are those of the tests of Retriever, again by symbolic link.
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
