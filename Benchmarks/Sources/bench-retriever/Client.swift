// One mode of one client, as a whole program: bench-retriever and bench-foundation are both made of these files.
//
//   bench-retriever MODE URL [--seconds S] [--concurrency N] [--count N]
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
      let report = try await run(options)
      print(report.json)
    } catch {
      FileHandle.standardError.write(Data("\(CommandLine.arguments[0]): \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ options: Options) async throws -> Report {
    switch options.mode {
    case "get64": return try await Throughput(options, concurrency: options.concurrency).get()
    case "get1": return try await Throughput(options, concurrency: 1).get()
    case "post64": return try await Throughput(options, concurrency: options.concurrency).post()
    case "startup": return try await LargeBody(options).data()
    case "download": return try await LargeBody(options).download()
    #if RETRIEVER
      case "chunks": return try await LargeBody(options).chunks()
      case "bytes": return try await LargeBody(options).bytes()
      case "lines": return try await LargeBody(options).lines()
    #endif
    case "suspended": return try await ManyInFlight(options).suspended()
    case "cancel": return try await ManyInFlight(options).cancelled()
    default: throw Failure("there is no mode named \(options.mode)")
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
  private(set) var seconds = 2.0
  private(set) var concurrency = 64
  private(set) var count = 10_000

  init(_ arguments: [String]) throws {
    guard arguments.count >= 3, let url = URL(string: arguments[2]) else {
      throw Failure("usage: MODE URL [--seconds S] [--concurrency N] [--count N]")
    }
    mode = arguments[1]
    self.url = url
    var rest = arguments.dropFirst(3)
    while let name = rest.popFirst() {
      guard let value = rest.popFirst().flatMap({ Double($0) }) else {
        throw Failure("\(name) needs a number")
      }
      switch name {
      case "--seconds": seconds = value
      case "--concurrency": concurrency = Int(value)
      case "--count": count = Int(value)
      default: throw Failure("there is no option named \(name)")
      }
    }
  }

  /// Nothing kept between requests but connections, as many of them as there are requests at once.
  func session(connections: Int) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.timeoutIntervalForRequest = 60
    return URLSession(configuration: configuration)
  }
}
