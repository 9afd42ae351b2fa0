// swift-tools-version: 6.2
import PackageDescription

// Tests of the program `bench` and of the plans and checks of `kennel-load`, so that they need no other part of the
// package Benchmarks.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "benchmark-tests",
  platforms: [.macOS(.v15)],
  targets: [
    .executableTarget(name: "bench", swiftSettings: strict),
    .target(name: "KennelLoad", swiftSettings: strict),
    .testTarget(
      name: "BenchTests", dependencies: ["bench", "KennelLoad"], path: "Tests", swiftSettings: strict),
  ]
)
