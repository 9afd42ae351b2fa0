// swift-tools-version: 6.2
import PackageDescription

/// Small programs, one for each recipe of the README. Each is a complete program that can be copied.
let recipes: [String: [String]] = [
  "fetch-page": ["Retriever"],
  "follow-lines": ["Retriever"],
  "follow-events": ["Retriever"],
  "resume-download": ["Retriever"],
  "upload-file": ["Retriever"],
  "sign-in": ["Retriever"],
  "make-thumbnail": ["Retriever", "RetrieverImages"],
  "bridge-callback": ["RetrieverBridges"],
  "test-with-stubs": ["Retriever", "RetrieverTesting"],
]

let package = Package(
  name: "examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "retriever", path: "..")],
  targets: recipes.sorted { $0.key < $1.key }.map { name, products in
    .executableTarget(
      name: name,
      dependencies: products.map { .product(name: $0, package: "retriever") },
      swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")])
  }
)
