import Foundation
import Retriever
import RetrieverImages
import TerminalProgram

/// `retriever thumbnail`: creates thumbnails of images while they download.
enum ThumbnailCommand {
  private struct Source: Sendable {
    let text: String
    let url: URL
  }

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let arguments = context.arguments
    guard let size = try arguments.size("size", most: 16_384) else {
      throw UsageError("--size WxH is required.")
    }
    let modes = ["fit", "fill", "stretch"].filter(arguments.has)
    guard modes.count <= 1 else {
      throw UsageError("--\(modes[0]) and --\(modes[1]) cannot be used together.")
    }
    let mode: ThumbnailTarget.Mode = modes == ["fill"] ? .fill : modes == ["stretch"] ? .stretch : .fit
    let target = ThumbnailTarget(
      width: size.width, height: size.height, mode: mode, enlarges: arguments.has("enlarge"))
    var sources: [Source] = []
    for operand in arguments.operands { sources.append(try source(operand)) }
    let destination = try Destination(arguments.value("output"), count: sources.count, usual: .directory("."))
    if destination == .standardOutput, sources.count > 1 {
      throw UsageError("Only one thumbnail can be written to standard output.")
    }
    let isNamed = if case .file = destination { true } else { false }
    let path: String? = if case .file(let path) = destination { path } else { nil }
    let animation = try AnimatedThumbnails(arguments, path: path)
    let (encoding, suffix) = try animation?.encoding ?? ImageWork.encoding(arguments, path: path)
    try destination.prepare()
    let work = try await ImageWork(context, urls: sources.map(\.url).filter { !$0.isFileURL })
    let all =
      sources.count > 1
      ? context.progress.begin("thumbnails", unit: .items, total: Int64(sources.count)) : nil
    let done = Counter()
    let status = await context.forEach(sources, atOnce: work.parallel) { source in
      let start = ContinuousClock.now
      defer { all?.advance(to: done.increment()) }
      do {
        let path = self.path(destination, source.url, size, suffix)
        if path != "-", !arguments.has("force"), FileSystem.kind(path) == .regular {
          throw FileSystem.exists(path)
        }
        let (image, data, damage): (UIImage, Data, [ImageDamage])
        if let animation {
          (image, data, damage) = try await animation.thumbnail(of: source.url, target, work)
        } else {
          image = try await work.thumbnail(of: source.url, target)
          damage = image.damage
          data = try await image.data(as: encoding)
        }
        work.warn(of: damage, in: source.url.shown)
        try await work.write(data, to: path, isNamed: isNamed)
        let report = ImageReport(
          source: source.url.shown, file: path, width: Int(image.size.width), height: Int(image.size.height),
          bytes: data.count, damage: damage.isEmpty ? nil : damage.map(\.description),
          seconds: (.now - start).inSeconds)
        try await context.reports.write(report)
        if path != "-" {
          context.screen.say(
            "\(path): \(report.width) × \(report.height), \(ByteText.short(Int64(data.count)))")
        }
        return .success
      } catch {
        return await context.report(error, about: source.url.shown)
      }
    }
    all?.end()
    return status
  }

  /// The options of animated thumbnails, which are always WebP files.
  private struct AnimatedThumbnails: Sendable {
    private let quality: Double
    private let maximumFrames: Int

    /// Returns nil unless `--animated` is given.
    init?(_ arguments: ParsedArguments, path: String?) throws(UsageError) {
      guard arguments.has("animated") else {
        guard arguments.value("frames") == nil else { throw UsageError("--frames needs --animated.") }
        return nil
      }
      let ending = path.map { URL(fileURLWithPath: $0).pathExtension.lowercased() } ?? ""
      guard ["webp", nil].contains(arguments.value("format")), !["jpg", "jpeg", "png"].contains(ending) else {
        throw UsageError(
          "Animated thumbnails are WebP files. Use --format webp, or an output such as dog.webp.")
      }
      quality = try ImageWork.quality(arguments)
      maximumFrames = try arguments.integer("frames", in: 1...1_000, default: 100)
    }

    var encoding: (encoding: ImageEncoding, suffix: String) { (.webp(quality: quality), "webp") }

    /// Returns the first frame, the file, and what was wrong with a still image.
    func thumbnail(
      of url: URL, _ target: ThumbnailTarget, _ work: ImageWork
    ) async throws -> (UIImage, Data, [ImageDamage]) {
      let (data, damage) = try await work.image(of: url).animatedThumbnail(
        target, quality: quality, maximumFrames: maximumFrames,
        damage: work.pipeline.configuration.damagePolicy)
      return (try UIImage(validating: data), data, damage)
    }
  }

  /// A text with a scheme is a URL; everything else is a file.
  private static func source(_ text: String) throws(UsageError) -> Source {
    if text.hasPrefix("file:"), let url = URL(string: text), url.isFileURL {
      return Source(text: text, url: url)
    }
    if text.contains("://") { return Source(text: text, url: try ParsedArguments.webURL(text)) }
    return Source(text: text, url: URL(fileURLWithPath: text))
  }

  private static func path(
    _ destination: Destination, _ url: URL, _ size: (width: Int, height: Int), _ suffix: String
  ) -> String {
    switch destination {
    case .standardOutput: return "-"
    case .file(let path): return path
    case .directory(let directory):
      let stem = url.deletingPathExtension().lastPathComponent
      let name = SafeName.make(
        stem == "/" || stem.isEmpty ? url.host : stem,
        suffix: "-\(size.width)x\(size.height).\(suffix)")
      return Destination.path(name, in: directory)
    }
  }
}
