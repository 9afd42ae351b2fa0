import Foundation
import KennelStorage
import RetrieverImages

extension Posts {
  /// Returns when the photo in a file was taken, or nil if neither the photo nor the file says it. Its pixels are not
  /// decoded.
  ///
  /// - Parameters:
  ///   - path: a file that is no longer being written.
  ///   - fileDate: the modification date of the file, if the file is the original one.
  package func captureTime(ofFileAt path: String, fileDate: Date? = nil) async -> TakenTime? {
    if let video = try? await MovieMetadata(contentsOf: URL(fileURLWithPath: path)) {
      // The time in the description of a video is in UTC, as that of satellites is.
      return CaptureTime(camera: video.captureDate, satellites: video.creationDate, fileDate: fileDate)
        .resolved(now: clock.now(), in: timeZone)
    }
    let metadata = try? await ImageMetadata(contentsOf: URL(fileURLWithPath: path))
    return CaptureTime(
      camera: metadata?.captureDate, satellites: metadata?.location?.timestamp, fileDate: fileDate
    ).resolved(now: clock.now(), in: timeZone)
  }
}

/// What is known about the time when a photo was taken. A pure value.
struct CaptureTime: Sendable {
  /// What the clock of the camera showed, with its zone if the camera records it.
  var camera: ImageMetadata.Timestamp?
  /// The time of the position, in UTC.
  var satellites: ImageMetadata.Timestamp?
  /// The modification date of the file.
  var fileDate: Date?

  /// Returns the first time that is possible: that of the camera, of the satellites, or of the file.
  ///
  /// - Parameter zone: the time zone of cameras that do not record it.
  func resolved(now: Date, in zone: TimeZone) -> TakenTime? {
    [cameraTime(in: zone), satelliteTime(in: zone), fileTime(in: zone)].lazy.compactMap { $0 }.first {
      $0.isPossible(now: now)
    }
  }

  private func cameraTime(in zone: TimeZone) -> TakenTime? {
    guard let camera, !Self.isUnset(camera) else { return nil }
    guard let offset = camera.secondsFromGMT ?? offset(of: camera) else {
      return TakenTime(clock: camera, in: zone, source: .cameraClock)
    }
    return TakenTime(clock: camera, secondsFromGMT: offset, source: .camera)
  }

  private func satelliteTime(in zone: TimeZone) -> TakenTime? {
    satellites?.date.map { TakenTime($0, in: zone, source: .camera) }
  }

  private func fileTime(in zone: TimeZone) -> TakenTime? {
    // The first moment of 1970 means that no date is recorded.
    guard let fileDate, fileDate.timeIntervalSince1970 != 0 else { return nil }
    return TakenTime(fileDate, in: zone, source: .file)
  }

  /// Returns whether a camera's clock was never set. It then shows the first moment that it can count.
  private static func isUnset(_ time: ImageMetadata.Timestamp) -> Bool {
    [1904, 1970, 1980].contains(time.year) && time.month == 1 && time.day == 1 && time.hour == 0
      && time.minute == 0 && time.second == 0
  }

  /// Returns the time zone of the camera's clock, from the time of the satellites at almost the same moment.
  private func offset(of camera: ImageMetadata.Timestamp) -> Int? {
    guard let moment = satellites?.date else { return nil }
    let difference = camera.date(in: .gmt).timeIntervalSince(moment)
    // Time zones differ from UTC by a multiple of 15 minutes, from -12 to +14 hours. The position may be a little older
    // than the photo.
    let zone = (difference / 900).rounded() * 900
    guard abs(difference - zone) <= 240, (-43_200...50_400).contains(zone) else { return nil }
    return Int(zone)
  }
}
