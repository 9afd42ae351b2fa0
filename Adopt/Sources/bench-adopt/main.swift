// Measures `adopt check` compared with only parsing the same files.
//
//   bench-adopt check|parse FOLDER… [--seconds S]
//   bench-adopt corpus FOLDER
//
// The first two use all processors and read the files from memory. Prints one line of JSON; a request is one file.
import AdoptAnalysis
import AdoptCommand
import AdoptCorpus
import Foundation
import SwiftParser

var arguments = Array(CommandLine.arguments.dropFirst())
var seconds = 1.0
if let index = arguments.firstIndex(of: "--seconds"), index + 1 < arguments.count {
  seconds = Double(arguments[index + 1]) ?? seconds
  arguments.removeSubrange(index...index + 1)
}
guard let mode = arguments.first, ["check", "parse", "corpus"].contains(mode), arguments.count > 1 else {
  FileHandle.standardError.write(
    Data("usage: bench-adopt check|parse FOLDER… [--seconds S], or bench-adopt corpus FOLDER\n".utf8))
  exit(2)
}
do {
  if mode == "corpus" {
    print(try CorpusReport(folder: arguments[1]).text, terminator: "")
    exit(0)
  }
  let bench = try AdoptBench(folders: Array(arguments.dropFirst()))
  print(try await bench.run(mode, seconds: seconds))
} catch {
  FileHandle.standardError.write(Data("bench-adopt: \(error)\n".utf8))
  exit(1)
}
