import AdoptAnalysis
import AdoptCommand
import Foundation
import Glibc
import SwiftParser
import SwiftSyntax

struct AdoptBench {
  private let texts: [String]

  init(folders: [String]) throws {
    texts = try SourceDiscovery.find(folders).files.map { try String(contentsOfFile: $0, encoding: .utf8) }
    guard !texts.isEmpty else { throw CocoaError(.fileNoSuchFile) }
  }

  /// Processes all files repeatedly until the time is over.
  func run(_ mode: String, seconds: Double) async throws -> String {
    let start = ContinuousClock.now
    let (cpu, bytes) = (Self.processorSeconds, texts.reduce(0) { $0 + $1.utf8.count })
    var (rounds, sum) = (0, 0)
    repeat {
      let counts = try await Workers.map(texts, jobs: Workers.processorCount) { text in
        if mode == "parse" { return Parser.parse(source: text).statements.count }
        return check(ParsedFile(path: "bench.swift", text: text)).handlerCount
      }
      sum += counts.reduce(0, +)
      rounds += 1
    } while ContinuousClock.now - start < .seconds(seconds)
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    guard sum >= 0 else { return "" }
    return "{\"requests\":\(texts.count * rounds),\"seconds\":\(elapsed),\"bytes\":\(bytes * rounds)"
      + ",\"cpu_seconds\":\(Self.processorSeconds - cpu)}"
  }

  private static var processorSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }
}
