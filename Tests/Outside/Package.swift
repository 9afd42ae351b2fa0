// swift-tools-version: 6.2
import PackageDescription

/// A program outside this repository, which knows it only by its product names.
let package = Package(
  name: "outside",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "retriever", path: "../..")],
  targets: [
    .executableTarget(
      name: "outside",
      dependencies: ["Retriever", "RetrieverImages", "RetrieverTesting"].map {
        .product(name: $0, package: "retriever")
      },
      swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]),
    .executableTarget(
      name: "converters",
      dependencies: ["Retriever", "RetrieverConverters"].map { .product(name: $0, package: "retriever") },
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ]
)
