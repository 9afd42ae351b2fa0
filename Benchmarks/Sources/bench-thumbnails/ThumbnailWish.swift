import Foundation
import RetrieverImages

/// A thumbnail request from a path.
struct ThumbnailWish {
  let target: ThumbnailTarget
  let quality: Double
  let url: URL

  /// Parses the path segments. Returns nil if the path is not a thumbnail request, or uses unsupported options.
  init?(_ segments: [String]) {
    guard segments.count > 5, segments[0] == "unsafe", segments[1] == "fit-in" else { return nil }
    let sides = segments[2].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    guard let percent = segments[3].wholeMatch(of: /filters:quality\((\d{1,3})\)/).flatMap({ Double($0.1) }),
      let url = URL(string: "http://\(segments[4...].joined(separator: "/"))")
    else { return nil }
    target = ThumbnailTarget(width: width, height: height)
    quality = percent / 100
    self.url = url
  }
}
