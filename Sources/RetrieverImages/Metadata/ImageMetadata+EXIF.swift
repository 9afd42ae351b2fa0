import Foundation

/// The values in EXIF data that this library uses.
struct EXIFValues {
  private let main: TIFFDirectory?
  private let photo: TIFFDirectory?
  private let gps: TIFFDirectory?
  private let isLittleEndian: Bool

  init(_ tiff: TIFFReader) {
    isLittleEndian = tiff.isLittleEndian
    main = tiff.first
    photo = tiff.directory(0x8769, of: main)
    gps = tiff.directory(0x8825, of: main)
  }

  // MARK: The image

  var make: String? { main?.value(0x010F)?.text }
  var model: String? { main?.value(0x0110)?.text }
  var software: String? { main?.value(0x0131)?.text }
  var artist: String? { main?.value(0x013B)?.text ?? main?.value(0x9C9D).flatMap(windowsText) }
  var copyright: String? {
    // The photographer's notice and the editor's are separated by a zero.
    main?.value(0x8298).flatMap { value in
      MetadataText.trimmed(
        value.bytes.split(separator: 0).compactMap { MetadataText.decode($0) }.joined(separator: "; "))
    }
  }
  var title: String? { main?.value(0x9C9B).flatMap(windowsText) }
  var description: String? {
    main?.value(0x010E)?.text ?? photo?.value(0x9286).flatMap(userComment)
      ?? main?.value(0x9C9C).flatMap(windowsText)
  }
  var keywords: [String] {
    (main?.value(0x9C9E).flatMap(windowsText) ?? "").split(separator: ";").compactMap {
      MetadataText.trimmed($0)
    }
  }
  var rating: Double? { main?.value(0x4746)?.number() }

  var resolution: ImageMetadata.Resolution? {
    guard let horizontal = main?.value(0x011A)?.number(), let vertical = main?.value(0x011B)?.number() else {
      return nil
    }
    let unit = main?.value(0x0128)?.integer() ?? 2
    return ImageMetadata.Resolution(
      horizontal: horizontal, vertical: vertical, unit: unit == 2 ? .inch : unit == 3 ? .centimeter : nil)
  }

  // MARK: The photo

  var ownerName: String? { photo?.value(0xA430)?.text }
  var cameraSerialNumber: String? { photo?.value(0xA431)?.text }
  var lensMake: String? { photo?.value(0xA433)?.text }
  var lensModel: String? { photo?.value(0xA434)?.text }
  var lensSerialNumber: String? { photo?.value(0xA435)?.text }
  var exposureTime: Double? { positive(0x829A) }
  var fNumber: Double? { positive(0x829D) }
  var focalLength: Double? { positive(0x920A) }
  var focalLengthIn35mmFilm: Double? { positive(0xA405) }
  var flashFired: Bool? { photo?.value(0x9209)?.integer().map { $0 & 1 == 1 } }

  var isoSpeed: Int? {
    // 65,535 means that the speed is stored with 32 bits.
    let short = photo?.value(0x8827)?.integer()
    let speed =
      short == 65_535 ? photo?.value(0x8833)?.integer() ?? photo?.value(0x8832)?.integer() ?? short : short
    return speed.flatMap { $0 > 0 ? $0 : nil }
  }

  var captureDate: ImageMetadata.Timestamp? {
    timestamp(photo, 0x9003, fraction: 0x9291, zone: 0x9011)
      ?? timestamp(photo, 0x9004, fraction: 0x9292, zone: 0x9012)
  }

  var modificationDate: ImageMetadata.Timestamp? { timestamp(main, 0x0132, fraction: 0x9290, zone: 0x9010) }

  /// How much brighter than white a photo of an iPhone can be shown, by Apple's formula for two values of its maker note.
  var appleHeadroom: Double? {
    guard let note = photo?.value(0x927C)?.bytes, note.starts(with: "Apple iOS\0".utf8) else { return nil }
    let directory = TIFFReader(headless: Array(note), isLittleEndian: false).directory(at: 14)
    guard let first = directory?.value(33)?.number(), let second = directory?.value(48)?.number() else {
      return nil
    }
    let stops =
      switch (first < 1, second <= 0.01) {
      case (true, true): -20 * second + 1.8
      case (true, false): -0.101 * second + 1.601
      case (false, true): -70 * second + 3
      case (false, false): -0.303 * second + 2.303
      }
    let headroom = pow(2, max(stops, 0))
    return headroom.isFinite ? headroom : nil
  }

  /// Whether there is a directory for the place, also if it is empty or invalid.
  var hasLocation: Bool { gps != nil }

  private func positive(_ tag: Int) -> Double? {
    photo?.value(tag)?.number().flatMap { $0 > 0 ? $0 : nil }
  }

  private func timestamp(
    _ directory: TIFFDirectory?, _ tag: Int, fraction: Int, zone: Int
  ) -> ImageMetadata.Timestamp? {
    directory?.value(tag)?.text.flatMap {
      ImageMetadata.Timestamp($0, fraction: photo?.value(fraction)?.text, zone: photo?.value(zone)?.text)
    }
  }

  /// Decodes a text of Windows, which is UTF-16.
  private func windowsText(_ value: TIFFValue) -> String? {
    MetadataText.utf16(value.bytes, isLittleEndian: true)
  }

  /// Decodes a comment that begins with the name of its encoding.
  private func userComment(_ value: TIFFValue) -> String? {
    let text = value.bytes.dropFirst(8)
    if value.bytes.starts(with: "UNICODE\0".utf8) {
      return MetadataText.utf16(text, isLittleEndian: isLittleEndian)
    }
    let isKnown = value.bytes.starts(with: "ASCII\0\0\0".utf8) || value.bytes.prefix(8).allSatisfy { $0 == 0 }
    return isKnown ? MetadataText.decode(text.prefix { $0 != 0 }) : nil
  }

  // MARK: The place

  var location: ImageMetadata.Location? {
    guard let latitude = angle(2, reference: 1, negative: "S"),
      let longitude = angle(4, reference: 3, negative: "W")
    else { return nil }
    let isBelow = gps?.value(5)?.integer() == 1
    let altitude = gps?.value(6)?.number().map { isBelow ? -$0 : $0 }
    return ImageMetadata.Location(
      latitude: latitude, longitude: longitude, altitude: altitude, timestamp: satelliteTime)
  }

  /// Reads degrees, minutes and seconds.
  private func angle(_ tag: Int, reference: Int, negative: String) -> Double? {
    guard let value = gps?.value(tag), let degrees = value.number(0) else { return nil }
    let angle = degrees + (value.number(1) ?? 0) / 60 + (value.number(2) ?? 0) / 3_600
    return (gps?.value(reference)?.text?.uppercased() == negative ? -angle : angle).roundedAngle
  }

  private var satelliteTime: ImageMetadata.Timestamp? {
    guard let day = gps?.value(29)?.text, let time = gps?.value(7), let hour = time.number(0),
      let minute = time.number(1), let second = time.number(2), (0..<24).contains(hour),
      (0..<60).contains(minute), (0..<61).contains(second),
      let start = ImageMetadata.Timestamp(day)
    else { return nil }
    // A fraction such as 5865/100 is not exact as a binary number.
    let fraction = Int((second.truncatingRemainder(dividingBy: 1) * 1e6).rounded()) * 1_000
    return ImageMetadata.Timestamp(
      year: start.year, month: start.month, day: start.day, hour: Int(hour), minute: Int(minute),
      second: Int(second), nanosecond: min(fraction, 999_999_999), secondsFromGMT: 0)
  }
}

extension Double {
  /// An angle in degrees, rounded to a tenth of a millimeter on the Earth. It was added up from minutes and seconds.
  var roundedAngle: Double { (self * 1e9).rounded() / 1e9 }
}
