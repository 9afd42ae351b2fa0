// The readings of a client, and the quantities that rows compare.
import Foundation

/// The line of JSON that a client printed.
struct Statement: Decodable {
  let requests: Int
  let seconds: Double
  let bytes: Int
  let rssStartKib: Int?
  let peakKib: Int?
  let finishedNs: Int?
  /// The CPU time of the measured part, if the program measures it itself.
  let cpuSeconds: Double?
  /// The quality score of the encoded thumbnail.
  let score: Double?
  /// The quality score of the pixels before encoding.
  let pixelScore: Double?
  let filesBefore: Int?
  let filesAfter: Int?
  /// The number of connections with a resumed TLS session.
  let resumed: Int?
  let worstMs: Double?
  let timeoutMs: Double?
  let cancelMs: Double?
  /// Percentiles of the latency, from the planned start of a request.
  let p50Ms: Double?
  let p99Ms: Double?
  let p999Ms: Double?
  /// The number of requests that were started in a second.
  let rate: Double?

  init(_ line: String) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      self = try decoder.decode(Statement.self, from: Data(line.utf8))
    } catch {
      throw Problem("a client printed an invalid result: \(line)")
    }
  }
}

/// One run of one client: its own result, and the values that were measured from outside.
struct Reading {
  var statement: Statement
  var cpuSeconds: Double
  /// The seconds from the start of the process to its first response.
  var startup: Double?
  /// The resident memory while all requests were held.
  var residentKib: Int?
  var threads: Int?
  /// The growth of resident memory since before the first connection.
  var growthKib: Int?
  /// The seconds from the last byte that the server sent to the complete result.
  var secondsAfterLastByte: Double?
  /// The size of the fetched picture.
  var fileBytes: Int?
}

/// The quantity that a row compares.
struct Quantity: Sendable {
  let unit: String
  /// Whether values are compared by their difference instead of their ratio.
  var isPoints = false
  let value: @Sendable (Reading) -> Double?

  static let throughput = Quantity(unit: "req/s") { Double($0.statement.requests) / $0.statement.seconds }
  static let processorTime = Quantity(unit: "µs CPU/req") {
    $0.cpuSeconds * 1e6 / Double($0.statement.requests)
  }
  static let latency = Quantity(unit: "µs") { $0.statement.seconds * 1e6 / Double($0.statement.requests) }
  static let connections = Quantity(unit: "conn/s", value: throughput.value)
  static let connectionTime = Quantity(unit: "ms CPU/conn") {
    $0.cpuSeconds * 1e3 / Double($0.statement.requests)
  }
  static let resumedShare = Quantity(unit: "%") { reading in
    reading.statement.resumed.map { Double($0) * 100 / Double(reading.statement.requests) }
  }
  static let loadTime = Quantity(unit: "µs/load", value: latency.value)
  static let slowest = Quantity(unit: "ms", isPoints: true) { $0.statement.worstMs }
  static let timeout = Quantity(unit: "ms") { $0.statement.timeoutMs }
  static let cancellation = Quantity(unit: "ms") { $0.statement.cancelMs }
  static let bandwidth = Quantity(unit: "MB/s") { Double($0.statement.bytes) / 1e6 / $0.statement.seconds }
  static let growth = Quantity(unit: "MiB") {
    guard let start = $0.statement.rssStartKib, let peak = $0.statement.peakKib else { return nil }
    return Double(peak - start) / 1024
  }
  static let peak = Quantity(unit: "MiB") { $0.statement.peakKib.map { Double($0) / 1024 } }
  static let medianLatency = Quantity(unit: "ms") { $0.statement.p50Ms }
  static let percentile99 = Quantity(unit: "ms") { $0.statement.p99Ms }
  static let percentile999 = Quantity(unit: "ms") { $0.statement.p999Ms }
  static let rate = Quantity(unit: "req/s") { $0.statement.rate }
  static let resident = Quantity(unit: "MiB") { $0.residentKib.map { Double($0) / 1024 } }
  static let threads = Quantity(unit: "threads") { $0.threads.map { Double($0) } }
  static let threadCount = Quantity(unit: "threads", isPoints: true) { $0.threads.map { Double($0) } }
  static let perListener = Quantity(unit: "KiB", isPoints: true) { reading in
    reading.growthKib.map { Double($0) / Double(reading.statement.requests) }
  }
  static let completed = Quantity(unit: "requests") { Double($0.statement.requests) }
  static let milliseconds = Quantity(unit: "ms") { $0.statement.seconds * 1000 }
  static let afterLastByte = Quantity(unit: "ms") { $0.secondsAfterLastByte.map { $0 * 1e3 } }
  static let growthBesideFile = Quantity(unit: "MiB") { reading in
    guard let growth = growth.value(reading), let bytes = reading.fileBytes else { return nil }
    return growth - Double(bytes) / 1_048_576
  }
  static let fileTime = Quantity(unit: "µs/file") {
    $0.statement.seconds * 1e6 / Double($0.statement.requests)
  }
  static let imageTime = Quantity(unit: "ms CPU/image") { reading in
    reading.statement.cpuSeconds.map { $0 * 1e3 / Double(reading.statement.requests) }
  }
  static let servedTime = Quantity(unit: "ms CPU/image") {
    $0.cpuSeconds * 1e3 / Double($0.statement.requests)
  }
  static let score = Quantity(unit: "points", isPoints: true) { $0.statement.score }
  static let pixelScore = Quantity(unit: "points", isPoints: true) { $0.statement.pixelScore }
  static let startup = Quantity(unit: "ms") { $0.startup.map { $0 * 1000 } }
  static let filesLeft = Quantity(unit: "files") {
    guard let before = $0.statement.filesBefore, let after = $0.statement.filesAfter else { return nil }
    return Double(max(0, after - before))
  }
}
