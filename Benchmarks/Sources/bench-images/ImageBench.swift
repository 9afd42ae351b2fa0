// Measures RetrieverImages, as a program that uses only its public interface.
//
//   bench-images thumbnail FILE --size N [--seconds S]    make JPEG thumbnails of a file in memory
//   bench-images output FILE --size N --output FOLDER     write thumbnail.jpg, and the pixels as thumbnail.ppm
//   bench-images fetch URL --size N                       make a thumbnail of a file from the network
//   bench-images cancel FILE --size N [--seconds S]       measure when a cancelled thumbnail frees its memory
//   bench-images load URL --picture NAME --expected WxH [--seconds S] [--first N] [--count N]
//                                    load URL/N/NAME, URL/N+1/NAME, … from a thumbnail server, four concurrently
//
// Prints one line of JSON.
import Foundation
import RetrieverImages

@main
struct ImageBench {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments)
      print(try await run(options).json)
    } catch {
      FileHandle.standardError.write(Data("\(CommandLine.arguments[0]): \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ options: Options) async throws -> Report {
    switch options.mode {
    case "thumbnail": return try await Thumbnails(options).repeated()
    case "output": return try await Thumbnails(options).written()
    case "fetch": return try await Fetched(options).report()
    case "cancel": return try await Cancelled(options).report()
    case "load": return try await Load(options).report()
    default: throw Failure("unknown mode: \(options.mode)")
    }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

struct Options {
  let mode: String
  let subject: String
  private(set) var seconds = 1.0
  private(set) var size = 320
  private(set) var output: String?
  private(set) var picture: String?
  private(set) var expected: String?
  private(set) var first = 0
  private(set) var count = Int.max

  init(_ arguments: [String]) throws {
    guard arguments.count >= 3 else {
      throw Failure("usage: MODE FILE-OR-URL [--size N] [--seconds S] [--output FOLDER] …")
    }
    mode = arguments[1]
    subject = arguments[2]
    var rest = arguments.dropFirst(3)
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Failure("\(name) needs a value") }
      switch name {
      case "--seconds": seconds = Double(value) ?? seconds
      case "--size": size = Int(value) ?? size
      case "--output": output = value
      case "--picture": picture = value
      case "--expected": expected = value
      case "--first": first = Int(value) ?? first
      case "--count": count = Int(value) ?? count
      default: throw Failure("unknown option: \(name)")
      }
    }
  }

  var target: ThumbnailTarget { ThumbnailTarget(width: size, height: size) }

  func data() throws -> Data { try Data(contentsOf: URL(filePath: subject)) }
}
