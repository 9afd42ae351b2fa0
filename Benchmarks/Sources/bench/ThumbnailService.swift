// A running thumbnail server: ours, or thumbor.
import Foundation

/// Runs for one round, so that it keeps nothing from the previous round.
final class ThumbnailService {
  let port: Int
  private let server: Child

  /// - Parameter photos: The folder from which thumbor reads pictures (default: it fetches them from other servers).
  init(_ contender: Contender, _ place: Place, photos: URL? = nil) throws {
    if contender.program == .thumbor {
      port = try LocalPort.free()
      let settings = place.work.appending(path: "thumbor.conf")
      try Data(Self.thumborSettings(photos).utf8).write(to: settings)
      server = try Child(
        endingWithUs: contender.path(place),
        [
          "--ip", "127.0.0.1", "--port", "\(port)", "--processes", "\(contender.count ?? 1)", "--conf",
          settings.path, "--log-level", "error",
        ])
      guard LocalPort.waitUntilOpen(port, seconds: 20) else {
        throw Problem("thumbor did not start to listen within 20 seconds")
      }
    } else {
      server = try Child(endingWithUs: contender.path(place), [])
      let words = try server.line(within: 20).split(separator: " ")
      guard words.count == 2, words[0] == "port", let port = Int(words[1]) else {
        throw Problem("the thumbnail server did not print its port")
      }
      self.port = port
    }
  }

  deinit { server.killAll() }

  /// The user and system time of all of its processes so far.
  var processorSeconds: Double { server.processorSeconds }

  /// Returns settings like those of our server: originals are not kept. By default, thumbor does not keep thumbnails.
  private static func thumborSettings(_ photos: URL?) -> String {
    let loader = photos.map { "LOADER = 'thumbor.loaders.file_loader'\nFILE_LOADER_ROOT_PATH = '\($0.path)'" }
    return """
      ALLOW_UNSAFE_URL = True
      STORAGE = 'thumbor.storages.no_storage'
      HTTP_LOADER_CURL_ASYNC_HTTP_CLIENT = True
      \(loader ?? "")

      """
  }
}

extension Child {
  /// Spawns a process that ends with this program, even if this program is killed.
  convenience init(endingWithUs program: String, _ arguments: [String]) throws {
    if let binder = Place.program("setpriv") {
      try self.init(binder, ["--pdeathsig", "KILL", program] + arguments)
    } else {
      try self.init(program, arguments)
    }
  }

  /// The identifiers of the process and its children.
  var family: [pid_t] {
    let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
    return [pid] + (children ?? "").split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
  }

  /// The user and system time of the process and its children so far.
  var processorSeconds: Double { family.map(Self.processorSeconds).reduce(0, +) }

  private static func processorSeconds(of pid: pid_t) -> Double {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      // The name before it may contain any character.
      let end = text.lastIndex(of: ")")
    else { return 0 }
    let fields = text[end...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Kills the parent first, because it would restart children that end.
  func killAll() {
    for member in family { kill(member, SIGKILL) }
  }
}
