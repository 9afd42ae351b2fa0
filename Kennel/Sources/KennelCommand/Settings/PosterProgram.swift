import Glibc
import TerminalProgram

/// The program that makes the posters of videos.
enum PosterProgram {
  private static let places = ["/usr/local/bin/ffmpeg", "/usr/bin/ffmpeg"]

  /// Returns the path of ffmpeg, or nil if posters are drawn.
  ///
  /// - Throws: an error if the chosen program does not exist.
  static func find(_ settings: Settings) throws(UsageError) -> String? {
    guard let value = settings.value("ffmpeg") else { return places.first { access($0, X_OK) == 0 } }
    if value.text == "none" { return nil }
    guard value.text.hasPrefix("/"), access(value.text, X_OK) == 0 else {
      throw value.error("must be the absolute path of the program ffmpeg, or none, not “\(value.text)”.")
    }
    return value.text
  }
}
