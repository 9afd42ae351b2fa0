// swift-tools-version: 6.2
import PackageDescription

/// The bridges for the publishers of OpenCombine. They are a package of their own, so that the main package has no
/// dependencies.
let package = Package(
  name: "retriever-opencombine",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "RetrieverOpenCombine", targets: ["RetrieverOpenCombine"])],
  dependencies: [
    .package(name: "retriever", path: "../.."),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
  ],
  targets: [
    .target(
      name: "RetrieverOpenCombine",
      dependencies: [
        .product(name: "RetrieverBridges", package: "retriever"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      swiftSettings: [
        .define("BRIDGES_OPENCOMBINE"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ]
)
