import Foundation
import RetrieverImages
import TerminalProgram

/// `retriever strip`: copies images without their metadata.
enum StripCommand {
  private enum Target: Equatable {
    case inPlace
    case copies(Destination)
  }

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let arguments = context.arguments
    let target = try target(arguments)
    let parallel = try arguments.integer("parallel", in: 1...64, default: 4)
    if case .copies(let destination) = target { try destination.prepare() }
    let all =
      arguments.operands.count > 1
      ? context.progress.begin("images", unit: .items, total: Int64(arguments.operands.count)) : nil
    let done = Counter()
    let status = await context.forEach(arguments.operands, atOnce: parallel) { path in
      defer { all?.advance(to: done.increment()) }
      do {
        try await strip(path, target, context)
        return .success
      } catch {
        return await context.report(error, about: path)
      }
    }
    all?.end()
    if Task.isCancelled { context.screen.say("Cancelled. Files that were not finished are unchanged.") }
    return status
  }

  private static func target(_ arguments: ParsedArguments) throws(UsageError) -> Target {
    let isInPlace = arguments.has("in-place")
    guard let output = arguments.value("output") else {
      if isInPlace { return .inPlace }
      throw UsageError("Use --output FILE to write a copy, or --in-place to replace the files.")
    }
    if isInPlace { throw UsageError("--output and --in-place cannot be used together.") }
    let destination = try Destination(output, count: arguments.operands.count, usual: .directory("."))
    if destination == .standardOutput, arguments.operands.count > 1 {
      throw UsageError("Only one image can be written to standard output.")
    }
    return .copies(destination)
  }

  private static func strip(_ path: String, _ target: Target, _ context: CommandContext) async throws {
    let file = URL(fileURLWithPath: path)
    let stripped = try await StrippedImage(contentsOf: file)
    let written: String
    switch target {
    case .inPlace:
      written = path
      if !stripped.removed.isEmpty { try await stripped.write(to: file) }
    case .copies(let destination):
      written = self.path(destination, file)
      try await write(stripped, to: written, isNamed: !isDirectory(destination), context)
    }
    let kinds = StrippedImage.Record.allCases.filter(stripped.removed.contains)
    try await context.reports.write(
      StripReport(
        source: path, file: written, removed: kinds.map(\.rawValue),
        originalBytes: stripped.originalByteCount,
        bytes: stripped.byteCount))
    guard written != "-" else { return }
    let arrow = context.screen.usesUnicode ? "→" : "->"
    let sizes =
      "\(ByteText.short(Int64(stripped.originalByteCount))) \(arrow) \(ByteText.short(Int64(stripped.byteCount)))"
    let summary =
      kinds.isEmpty ? "nothing to remove" : "removed \(kinds.map(name).joined(separator: ", ")); \(sizes)"
    context.screen.say("\(written): \(summary)")
  }

  private static func isDirectory(_ destination: Destination) -> Bool {
    if case .directory = destination { true } else { false }
  }

  private static func path(_ destination: Destination, _ file: URL) -> String {
    switch destination {
    case .standardOutput: "-"
    case .file(let path): path
    case .directory(let directory): Destination.path(file.lastPathComponent, in: directory)
    }
  }

  /// - Parameter isNamed: Whether the path comes from the command line, so that a link at the path is followed.
  private static func write(
    _ stripped: StrippedImage, to path: String, isNamed: Bool, _ context: CommandContext
  ) async throws {
    if path == "-" { return try await context.output.write(try await contents(stripped)) }
    let place = try OutputPlace(path, followsLinks: isNamed)
    if let writer = try await DescriptorWriter.stream(path, at: place) {
      try await writer.write(try await contents(stripped))
      return try await writer.close()
    }
    guard case .file(let end) = place else { return }
    let replaces = context.arguments.has("force")
    if !replaces, FileSystem.kind(end) != nil { throw FileSystem.exists(path) }
    try await stripped.write(to: URL(fileURLWithPath: end), replaces: replaces)
  }

  /// Reads the copy on a thread that may wait for the disk.
  private static func contents(_ stripped: StrippedImage) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async {
        continuation.resume(with: Result { try stripped.data() })
      }
    }
  }

  private static func name(_ record: StrippedImage.Record) -> String {
    switch record {
    case .exif: "camera data (EXIF)"
    case .location: "location"
    case .xmp: "XMP"
    case .iptc: "IPTC"
    case .text: "texts"
    case .comment: "comments"
    case .time: "time"
    case .thumbnail: "thumbnail"
    case .otherData: "other data"
    }
  }
}

/// The report of one image that was copied without metadata.
struct StripReport: Encodable, Sendable {
  var source: String
  var file: String
  var removed: [String]
  var originalBytes: Int
  var bytes: Int
}
