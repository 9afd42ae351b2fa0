// A program that is measured.
import Foundation

/// A program in one mode.
struct Contender: Hashable {
  enum Program: String {
    case retriever = "Retriever"
    case transport = "Retriever on its own transport"
    case foundation = "FoundationNetworking"
    case c = "C, libcurl multi"
    case go = "Go net/http"
    case curl = "curl"
    case wrk
    case h2load
    case images = "RetrieverImages"
    case libvips = "libvips"
    case pillow = "Pillow"
    case jpeg = "libjpeg-turbo"
    case service = "HTTPService and RetrieverImages"
    case thumbor = "thumbor"
    case adopt = "adopt"
    case parser = "SwiftParser"
    case kennel = "Kennel"
    case nginx = "nginx"
    case microhttpd = "libmicrohttpd"

    /// The last part of the name of a row that compares with the program.
    var rowName: String {
      switch self {
      case .retriever: "retriever"
      case .foundation: "foundation"
      case .c: "c"
      case .go: "go"
      default: rawValue
      }
    }
  }

  let program: Program
  let mode: String
  var count: Int?
  /// Whether the program trusts its default authorities, instead of a given file.
  let usesSystemStore: Bool
  /// Whether the program's tasks run on `TransferExecutor`.
  let runsOnLoops: Bool
  /// More options of the program.
  let options: [String]

  init(
    _ program: Program, _ mode: String, count: Int? = nil, usesSystemStore: Bool = false,
    runsOnLoops: Bool = false, options: [String] = []
  ) {
    self.program = program
    self.mode = mode
    self.count = count
    self.usesSystemStore = usesSystemStore
    self.runsOnLoops = runsOnLoops
    self.options = options
  }

  var label: String {
    [
      program.rawValue, mode, count.map { "\($0)" } ?? "", usesSystemStore ? "by default" : "",
      runsOnLoops ? "on TransferExecutor" : "",
    ]
    .filter { !$0.isEmpty }.joined(separator: " ")
  }

  func path(_ place: Place) throws -> String {
    switch program {
    case .retriever, .transport: return place.products.appending(path: "bench-retriever").path
    case .foundation: return place.products.appending(path: "bench-foundation").path
    case .c: return place.build.appending(path: "peers/curl-client").path
    case .go: return place.build.appending(path: "peers/go-client").path
    case .curl, .wrk, .h2load, .nginx:
      let name = program.rawValue
      guard let path = Place.program(name) else {
        throw Problem("\(name) is missing. Run `make setup-bench`")
      }
      return path
    case .images: return place.products.appending(path: "bench-images").path
    case .libvips, .pillow: return place.python
    case .jpeg: return place.build.appending(path: "peers/jpeg-decode").path
    case .service: return place.products.appending(path: "bench-thumbnails").path
    case .thumbor: return place.thumbor
    case .kennel: return place.products.appending(path: "kennel").path
    case .microhttpd: return place.build.appending(path: "peers/stream").path
    case .adopt, .parser: return place.root.appending(path: ".build/adopt/release/bench-adopt").path
    }
  }

  func arguments(url: String, settings: Settings, place: Place) -> [String] {
    if program == .curl {
      let format = #"{"requests":1,"seconds":%{time_total},"bytes":%{size_download}}\n"#
      let output = mode == "-o FILE" ? place.curlDownload.path : "/dev/null"
      return ["-sS", "--fail", "-o", output, "-w", format, url]
    }
    var arguments = [mode, url, "--seconds", "\(settings.seconds)"]
    if let count { arguments += ["--count", "\(count)"] }
    if program == .transport { arguments += ["--transport", "own"] }
    if runsOnLoops { arguments += ["--executor", "transfers"] }
    // The Go program accepts only the flags that it uses.
    return arguments + options
  }
}
