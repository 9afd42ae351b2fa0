// The paths of the checkout, the built programs, and the files of the run.
import Foundation

struct Place {
  let root: URL
  let build: URL
  /// Generated files, the server's configuration and logs.
  let work: URL
  /// The folder of this program and the Swift clients.
  let products: URL
  /// The folder for downloads. It is in memory if there is room: a disk's write-back would disturb the next
  /// measurement.
  let downloads: URL

  init(root path: String) throws {
    root = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL.absoluteURL
    guard FileManager.default.fileExists(atPath: root.appending(path: "Benchmarks/Package.swift").path) else {
      throw Problem("\(root.path) is not the checkout. Run `make bench`")
    }
    build = root.appending(path: "build", directoryHint: .isDirectory)
    work = build.appending(path: "bench", directoryHint: .isDirectory)
    products = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      .deletingLastPathComponent()
    downloads = Place.downloads(orElse: work.appending(path: "downloads", directoryHint: .isDirectory))
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
  }

  var documents: URL { root.appending(path: "docs", directoryHint: .isDirectory) }

  /// The results that are kept between runs.
  var results: URL { documents.appending(path: "benchmarks.json") }

  /// The server times of a kennel with very many photos.
  var manyPosts: URL { documents.appending(path: "many-posts.json") }

  /// The file to which curl writes a body.
  var curlDownload: URL { downloads.appending(path: "curl-download") }

  /// The Python interpreter with the packages of the peers.
  var python: String { build.appending(path: "python-bench/bin/python").path }

  /// thumbor, which has a separate Python environment.
  var thumbor: String { build.appending(path: "python-thumbor/bin/thumbor").path }

  private static func downloads(orElse folder: URL) -> URL {
    let memory = "/dev/shm"
    let prefix = "retriever-bench-"
    // Removes the folders of runs that were killed.
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

  /// Returns the first executable with a name on the path or in the folders for system programs.
  static func program(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
