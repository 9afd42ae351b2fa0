// swift-tools-version: 6.2
import PackageDescription

let retriever = Target.Dependency.product(name: "Retriever", package: "retriever")

/// A program outside this repository, which knows it only by its product names, and the tests of five clients in the
/// style in which people wrote them for Apple's platforms. Many of those use Swift 5.
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
    .target(name: "TinyServer"),
  ]
    + ["RESTClientTests", "SessionMockTests", "ImageLoaderTests", "ChatClientTests", "CrawlerTests"].map {
      name in
      .testTarget(
        name: name, dependencies: [retriever, "TinyServer"], swiftSettings: [.swiftLanguageMode(.v5)])
    }
)
