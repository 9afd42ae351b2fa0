// A client program that runs one mode. bench-retriever and bench-foundation are both built from these files.
//
//   bench-retriever MODE URL [--seconds S] [--concurrency N] [--count N] [--trust FILE] [--executor transfers]
//                   [--size BYTES] [--plan FILE] [--pause MS] [--rate R]
//
// Prints one line of JSON.
import Foundation

#if RETRIEVER
import Retriever
#else
import FoundationNetworking
#endif

@main
struct Client {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments)
      print(try await report(options).json)
    } catch {
      FileHandle.standardError.write(Data("\(CommandLine.arguments[0]): \(error)\n".utf8))
      exit(1)
    }
  }

  /// Runs the mode on the executor that the options name.
  private static func report(_ options: Options) async throws -> Report {
    #if RETRIEVER
    if options.usesTransferExecutor {
      return try await withTaskExecutorPreference(TransferExecutor.shared) { try await run(options) }
    }
    #endif
    return try await run(options)
  }

  private static func run(_ options: Options) async throws -> Report {
    switch options.mode {
    case "get64": return try await Throughput(options, concurrency: options.concurrency).get()
    case "get1": return try await Throughput(options, concurrency: 1).get()
    #if RETRIEVER
    case "cached": return try await Throughput(options, concurrency: 1).cached()
    #endif
    case "post64": return try await Throughput(options, concurrency: options.concurrency).post()
    case "json64": return try await Throughput(options, concurrency: options.concurrency).json()
    case "plan64": return try await Throughput(options, concurrency: options.concurrency).plan(decodes: false)
    case "api64": return try await Throughput(options, concurrency: options.concurrency).plan(decodes: true)
    case "startup": return try await LargeBody(options).data()
    case "download": return try await LargeBody(options).download()
    #if RETRIEVER
    case "chunks": return try await LargeBody(options).chunks()
    case "bytes": return try await LargeBody(options).bytes()
    case "lines": return try await LargeBody(options).lines()
    case "connections": return try await Connections(options).open()
    case "queue": return try await Queue(options).load()
    case "paced": return try await Paced(options).measure()
    case "lookup": return try await StalledLookup(options).measure()
    #endif
    case "suspended": return try await ManyInFlight(options).suspended()
    case "cancel": return try await ManyInFlight(options).cancelled()
    default: throw Failure("unknown mode: \(options.mode)")
    }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

struct Options: Sendable {
  let mode: String
  let url: URL
  var seconds = 2.0
  private(set) var concurrency = 64
  private(set) var count = 10_000
  /// The length of a body that is sent.
  private(set) var size = 4096
  /// A file with a method and a URL in each line.
  private(set) var plan: URL?
  /// The pause after every tenth request of a plan.
  private(set) var pause = Duration.zero
  /// The number of requests that are started in a second.
  private(set) var rate = 0.0
  /// A file of certificate authorities; nil for the system's.
  private(set) var trust: URL?
  /// Whether tasks run on the threads that receive responses.
  private(set) var usesTransferExecutor = false
  /// Whether the transport of our own is used instead of libcurl.
  private(set) var usesOwnTransport = false

  init(_ arguments: [String]) throws {
    guard arguments.count >= 3, let url = URL(string: arguments[2]) else {
      throw Failure(
        "usage: MODE URL [--seconds S] [--concurrency N] [--count N] [--trust FILE] [--executor transfers] "
          + "[--transport own] [--size BYTES] [--plan FILE] [--pause MS] [--rate R]")
    }
    mode = arguments[1]
    self.url = url
    var rest = arguments.dropFirst(3)
    while let name = rest.popFirst() {
      guard let text = rest.popFirst() else { throw Failure("\(name) needs a value") }
      switch name {
      case "--seconds": seconds = try Self.number(text, for: name)
      case "--concurrency": concurrency = Int(try Self.number(text, for: name))
      case "--count": count = Int(try Self.number(text, for: name))
      case "--size": size = Int(try Self.number(text, for: name))
      case "--plan": plan = URL(fileURLWithPath: text)
      case "--pause": pause = .milliseconds(try Self.number(text, for: name))
      case "--rate": rate = try Self.number(text, for: name)
      case "--trust": trust = URL(fileURLWithPath: text)
      case "--executor":
        guard text == "transfers" else { throw Failure("unknown executor: \(text)") }
        usesTransferExecutor = true
      case "--transport":
        guard text == "own" else { throw Failure("unknown transport: \(text)") }
        usesOwnTransport = true
      default: throw Failure("unknown option: \(name)")
      }
    }
  }

  private static func number(_ text: String, for name: String) throws -> Double {
    guard let number = Double(text) else { throw Failure("\(name) needs a number") }
    return number
  }

  /// Returns a session that keeps connections between requests, and responses only in a given cache.
  /// - Parameters:
  ///   - connections: The maximum number of connections to a host; nil for the default.
  ///   - cache: The session's cache; nil for none.
  func session(connections: Int?, cache: URLCache? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    if let connections { configuration.httpMaximumConnectionsPerHost = connections }
    configuration.timeoutIntervalForRequest = 60
    configuration.urlCache = cache
    #if RETRIEVER
    if usesOwnTransport { configuration.transport = .own }
    if let trust { configuration.trustedCertificates = .file(trust) }
    #endif
    return URLSession(configuration: configuration)
  }
}
