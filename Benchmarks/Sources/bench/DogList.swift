// JSON for clients that decode it, and the compressed files.
import Foundation

/// Lists of dogs as JSON, such as an API sends them.
enum DogList {
  static func json(_ count: Int) -> [UInt8] {
    Array("[\((1...count).map(dog).joined(separator: ","))]".utf8)
  }

  /// Returns a dog as JSON.
  static func dog(_ id: Int) -> String {
    let (name, breed) = (names[id * 7 % names.count], breeds[id * 5 % breeds.count])
    let weight = "\(id * 37 % 60 + 3).\(id % 9 + 1)"
    let tags = (0...id % 3).map { "\"\(allTags[(id + $0) % allTags.count])\"" }.joined(separator: ",")
    return #"{"id":\#(id),"name":"\#(name)","breed":"\#(breed)","weight":\#(weight),"#
      + #""vaccinated":\#(id % 4 != 0),"tags":[\#(tags)]}"#
  }

  private static let names = [
    "Rex", "Bella", "Luna", "Max", "Daisy", "Rocky", "Molly", "Bruno", "Nala", "Oskar", "Pixel",
  ]
  private static let breeds = [
    "Beagle", "Border Collie", "Dachshund", "Golden Retriever", "Poodle", "Samoyed",
  ]
  private static let allTags = ["calm", "old", "playful", "shy", "loud", "house-trained", "good with cats"]
}

/// A file that the server sends in compressed form.
struct CompressedFile {
  enum Coding: String {
    case gzip
    case brotli = "br"
  }

  let coding: Coding
  let original = BenchFile.longList

  static let all = [CompressedFile(coding: .gzip), CompressedFile(coding: .brotli)]

  var name: String { "\(original.name).\(coding.rawValue)" }

  /// Writes the file to a folder with the original.
  func make(in folder: URL) throws {
    let (command, level) = coding == .gzip ? ("gzip", "-6") : ("brotli", "--quality=5")
    guard let program = Place.program(command) else {
      throw Problem("\(command) is missing. Run `make setup-bench`")
    }
    let (input, output) = (folder.appending(path: original.name).path, folder.appending(path: name).path)
    _ = try Child("/bin/sh", ["-c", "'\(program)' \(level) -c '\(input)' > '\(output)'"]).finish(within: 60)
  }
}
