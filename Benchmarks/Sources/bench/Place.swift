// Where things are: the checkout, what was built, what the run may write.
import Foundation

struct Place {
  let root: URL
  let build: URL
  /// Generated files, the server's configuration and logs.
  let work: URL
  /// Where this program was built, and the Swift clients beside it.
  let products: URL
  /// Where downloads go. In memory when there is room: a disk's write-back would disturb whatever runs next.
  let downloads: URL

  init(root path: String) throws {
    root = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL.absoluteURL
    guard FileManager.default.fileExists(atPath: root.appending(path: "Benchmarks/Package.swift").path) else {
      throw Problem("\(root.path) is not the checkout: run this through `make bench`")
    }
    build = root.appending(path: "build", directoryHint: .isDirectory)
    work = build.appending(path: "bench", directoryHint: .isDirectory)
    products = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      .deletingLastPathComponent()
    downloads = Place.downloads(orElse: work.appending(path: "downloads", directoryHint: .isDirectory))
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: downloads, withIntermediateDirectories: true)
  }

  /// Where curl writes a body.
  var curlDownload: URL { downloads.appending(path: "curl-download") }

  /// The interpreter that has the peers' packages.
  var python: String { build.appending(path: "python-bench/bin/python").path }

  /// In an environment of its own.
  var thumbor: String { build.appending(path: "python-thumbor/bin/thumbor").path }

  private static func downloads(orElse folder: URL) -> URL {
    let memory = "/dev/shm"
    let prefix = "retriever-bench-"
    // A run that was killed could not take its own away.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: memory)) ?? []
    where name.hasPrefix(prefix) {
      guard let owner = pid_t(name.dropFirst(prefix.count)), kill(owner, 0) != 0, errno == ESRCH else {
        continue
      }
      try? FileManager.default.removeItem(atPath: "\(memory)/\(name)")
    }
    let free = try? FileManager.default.attributesOfFileSystem(forPath: memory)[.systemFreeSize] as? NSNumber
    guard let free, free.int64Value > 3 << 30, access(memory, W_OK) == 0 else { return folder }
    return URL(filePath: "\(memory)/\(prefix)\(getpid())", directoryHint: .isDirectory)
  }

  /// The first executable of that name on the path, or in the folders for system programs.
  static func program(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
