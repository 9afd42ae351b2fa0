// swift-tools-version: 6.0
import PackageDescription

/// A program that does not know Retriever, nor do its dependencies. It is built with the toolset of scripts/overlay.
let package = Package(
  name: "overlay-app",
  dependencies: [.package(path: "Client")],
  targets: [
    .executableTarget(name: "app", dependencies: [.product(name: "Client", package: "Client")])
  ]
)
