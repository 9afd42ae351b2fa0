import Foundation
import Retriever
import RetrieverImages
import TerminalProgram

/// What the image commands share: the pipeline, the requests and the output files.
struct ImageWork: Sendable {
  let context: CommandContext
  let pipeline: ImagePipeline
  let parallel: Int
  let credentials: Credentials
  private let fields: [RequestFields.Field]
  private let namedOrigins: [URL]
  /// Loads complete files, for animations.
  private let session: URLSession

  /// - Parameter urls: The URLs on the command line. Header fields are sent only to their hosts.
  init(_ context: CommandContext, urls: [URL]) async throws {
    let arguments = context.arguments
    self.context = context
    parallel = try arguments.integer("parallel", in: 1...64, default: 8)
    fields = try RequestFields.fields(arguments, warn: context.screen.warn)
    namedOrigins = urls
    credentials = try await context.gatherCredentials(for: urls)
    var configuration = ImagePipeline.Configuration()
    try context.configure(configuration.session, usualTimeout: 30)
    configuration.maximumFetches = parallel
    configuration.maximumFetchesPerHost = parallel
    configuration.maximumRetries = 1
    configuration.allowsFileURLs = true
    configuration.sessionDelegate = SignIn(credentials, screen: context.screen, isVerbose: context.isVerbose)
    configuration.session.asksDelegatesAboutServers = false
    if !arguments.has("cache") { configuration.diskCache = nil }
    if arguments.has("strict") { configuration.damagePolicy = .strict }
    if let limit = try arguments.byteCount("max-size") { configuration.limits.bytes = Int(clamping: limit) }
    pipeline = ImagePipeline(configuration)
    context.record(pipeline.traffic)
    session = try context.makeSession(credentials, usualTimeout: 30)
  }

  /// Returns the request for a URL, with the header fields of the command line.
  func request(for url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    let isNamed = namedOrigins.contains {
      $0.host == url.host && $0.scheme == url.scheme && $0.port == url.port
    }
    if isNamed, !url.isFileURL { request.add(fields) }
    return request
  }

  /// Returns the image with its file, which has all frames of an animation.
  func image(of url: URL) async throws -> UIImage {
    let limits = pipeline.configuration.limits
    if url.isFileURL { return try await UIImage.loading(file: url.path, limits: limits) }
    let (bytes, answer) = try await session.bytes(for: request(for: url))
    if let response = answer as? HTTPURLResponse, !(200..<300).contains(response.statusCode) {
      throw Failure.httpStatus(response)
    }
    var data = Data()
    for try await chunk in bytes.chunks {
      guard data.count + chunk.count <= limits.bytes else {
        throw Failure(.tooLarge, "The image is larger than \(ByteText.short(Int64(limits.bytes))).")
      }
      data.append(chunk)
    }
    return try UIImage(validating: data, limits: limits)
  }

  func thumbnail(of url: URL, _ target: ThumbnailTarget) async throws -> UIImage {
    do {
      return try await pipeline.thumbnail(for: ImageRequest(request(for: url), target: target))
    } catch let error as URLError where error.code == .badServerResponse {
      // The pipeline throws this error for an unsuccessful HTTP status.
      throw Failure(.httpStatus, Failure(error).message)
    } catch let error as ImageError where error.code == .cancelled && Task.isCancelled {
      throw Failure.cancelled
    }
  }

  /// Warns that a thumbnail was made from a damaged image. Damage that does not affect pixels is only in the report.
  func warn(of damage: [ImageDamage], in source: String) {
    for found in damage where found.kind != .other {
      context.screen.warn(
        "retriever: \(source): \(found.description) The thumbnail shows what could be decoded.")
    }
  }

  // MARK: Writing

  /// Returns the quality from 0 to 1.
  static func quality(_ arguments: ParsedArguments) throws(UsageError) -> Double {
    Double(try arguments.integer("quality", in: 1...100, default: 82)) / 100
  }

  /// Returns the format given with `--format`, else the one of the file name's extension, else JPEG.
  static func encoding(
    _ arguments: ParsedArguments, path: String?
  ) throws(UsageError) -> (encoding: ImageEncoding, suffix: String) {
    let quality = try quality(arguments)
    let ending = path.map { URL(fileURLWithPath: $0).pathExtension.lowercased() } ?? ""
    let byName = ["jpg": "jpeg", "jpeg": "jpeg", "png": "png", "webp": "webp"][ending]
    switch arguments.value("format") ?? byName ?? "jpeg" {
    case "png": return (.png, "png")
    case "webp": return (.webp(quality: quality), "webp")
    default: return (.jpeg(quality: quality), "jpg")
    }
  }

  /// Writes a complete file. The data is written under another name first, so that no incomplete file is visible.
  ///
  /// - Parameter isNamed: Whether the path comes from the command line, so that a link at the path is followed. A name
  ///   derived from an image's name always stays in its directory.
  func write(_ data: Data, to path: String, isNamed: Bool = true) async throws {
    if path == "-" { return try await context.output.write(data) }
    let place = try OutputPlace(path, followsLinks: isNamed)
    if let writer = try await DescriptorWriter.stream(path, at: place) {
      try await writer.write(data)
      return try await writer.close()
    }
    guard case .file(let end) = place else { return }
    let replaces = context.arguments.has("force")
    if !replaces, FileSystem.kind(end) != nil { throw FileSystem.exists(path) }
    let file = try PartialFile(for: end, keeping: 0)
    do {
      try await file.write(data)
      try await file.finish(replaces: replaces)
    } catch {
      await file.remove()
      throw error
    }
  }
}

/// The report of one image that was created.
struct ImageReport: Encodable, Sendable {
  var source: String
  var file: String
  var width: Int
  var height: Int
  var bytes: Int
  /// For a collage: the number of filled cells, and the number of empty cells.
  var images: Int?
  var failed: Int?
  /// What was wrong with the data; nil if nothing was.
  var damage: [String]?
  var seconds: Double
}
