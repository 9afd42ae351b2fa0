import Foundation
import RetrieverImages
import TerminalProgram

/// The metadata of an image, as `inspect` shows it.
package struct PictureReport: Encodable, Sendable {
  package struct Place: Encodable, Sendable {
    var latitude: Double
    var longitude: Double
    var altitude: Double?
    var time: String?
  }

  package struct Map: Encodable, Sendable {
    var kind: String
    var width: Int
    var height: Int
    var bytes: Int
    var headroom: Double?
  }

  var source: String
  var format: String
  /// The size as stored.
  var width: Int
  var height: Int
  var orientation: String
  var colorProfile: String?
  var pixelsPerInch: Double?
  var taken: String?
  var changed: String?
  var place: Place?
  var cameraMake: String?
  var cameraModel: String?
  var cameraSerialNumber: String?
  var ownerName: String?
  var lensMake: String?
  var lensModel: String?
  var lensSerialNumber: String?
  var exposureSeconds: Double?
  var fNumber: Double?
  var isoSpeed: Int?
  var focalLength: Double?
  var focalLengthIn35mmFilm: Double?
  var flashFired: Bool?
  var title: String?
  var description: String?
  var keywords: [String]?
  var rating: Double?
  var artist: String?
  var copyright: String?
  var software: String?
  var comments: [String]?
  var gainMap: Map?

  package init(_ source: String, _ metadata: ImageMetadata) {
    self.source = source
    format = metadata.format.rawValue
    width = metadata.pixelWidth
    height = metadata.pixelHeight
    orientation = "\(metadata.orientation)"
    colorProfile = metadata.colorProfileName
    pixelsPerInch = metadata.resolution?.horizontal
    taken = metadata.captureDate?.description
    changed = metadata.modificationDate?.description
    place = metadata.location.map {
      Place(
        latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude, time: $0.timestamp?.description
      )
    }
    cameraMake = metadata.cameraMake
    cameraModel = metadata.cameraModel
    cameraSerialNumber = metadata.cameraSerialNumber
    ownerName = metadata.ownerName
    lensMake = metadata.lensMake
    lensModel = metadata.lensModel
    lensSerialNumber = metadata.lensSerialNumber
    exposureSeconds = metadata.exposureTime
    fNumber = metadata.fNumber
    isoSpeed = metadata.isoSpeed
    focalLength = metadata.focalLength
    focalLengthIn35mmFilm = metadata.focalLengthIn35mmFilm
    flashFired = metadata.flashFired
    title = metadata.title
    description = metadata.description
    keywords = metadata.keywords.isEmpty ? nil : metadata.keywords
    rating = metadata.rating
    artist = metadata.artist
    copyright = metadata.copyright
    software = metadata.software
    comments = metadata.comments.isEmpty ? nil : metadata.comments
    gainMap = metadata.gainMap.map { map in
      // JSON has no infinite numbers.
      let headroom = map.headroom ?? map.parameters.map { exp2($0.capacityMaximum) }
      return Map(
        kind: map.kind.rawValue, width: map.pixelWidth, height: map.pixelHeight, bytes: map.data.count,
        headroom: headroom.flatMap { $0.isFinite ? $0 : nil })
    }
  }
}

extension PictureReport {
  /// The report for people: the size, then one line for each fact.
  package func lines(usesUnicode: Bool) -> [String] {
    let times = usesUnicode ? "×" : "x"
    let turned = orientation == "up" ? "" : ", orientation \(orientation)"
    var lines = ["\(source): \(format.uppercased()), \(width) \(times) \(height) pixels\(turned)"]
    func add(_ name: String, _ parts: [String?]) {
      let text = parts.compactMap { $0 }.joined(separator: ", ")
      // A text of several lines stays on one line.
      if !text.isEmpty {
        lines.append("  \(name): \(text.split(whereSeparator: \.isNewline).joined(separator: " "))")
      }
    }
    add("Taken", [taken])
    add("Changed", [changed])
    if let place {
      let altitude = place.altitude.map { Self.text($0, digits: 1) + " m" }
      add(
        "Place",
        [Self.text(place.latitude, digits: 6), Self.text(place.longitude, digits: 6), altitude, place.time])
    }
    add("Camera", [Self.joined(cameraMake, cameraModel), cameraSerialNumber.map { "serial number \($0)" }])
    add("Owner", [ownerName])
    add("Lens", [Self.joined(lensMake, lensModel), lensSerialNumber.map { "serial number \($0)" }])
    add("Exposure", exposure)
    add("Title", [title])
    add("Description", [description])
    add("Keywords", keywords ?? [])
    add("Rating", [rating.map { Self.text($0, digits: 1) }])
    add("Artist", [artist])
    add("Copyright", [copyright])
    add("Software", [software])
    for comment in comments ?? [] { add("Comment", [comment]) }
    add("Colour profile", [colorProfile])
    add("Resolution", [pixelsPerInch.map { Self.text($0, digits: 1) + " pixels per inch" }])
    if let gainMap {
      let headroom = gainMap.headroom.map { "up to \(Self.text($0, digits: 1)) times brighter than white" }
      let kind = gainMap.kind == "apple" ? "Apple" : "Ultra HDR"
      add("Gain map", [kind, "\(gainMap.width) \(times) \(gainMap.height) pixels", headroom])
    }
    return lines
  }

  private var exposure: [String?] {
    let time = exposureSeconds.map { seconds in
      seconds < 0.3 ? "1/\(Self.text(1 / seconds, digits: 0)) s" : Self.text(seconds, digits: 1) + " s"
    }
    let film = focalLengthIn35mmFilm.map { " (\(Self.text($0, digits: 0)) mm on 35 mm film)" } ?? ""
    return [
      time, fNumber.map { "f/" + Self.text($0, digits: 1) }, isoSpeed.map { "ISO \($0)" },
      focalLength.map { Self.text($0, digits: 1) + " mm" + film }, flashFired == true ? "flash" : nil,
    ]
  }

  /// Returns a number without zeros at its end.
  private static func text(_ number: Double, digits: Int) -> String {
    var text = String(format: "%.\(digits)f", number)
    guard text.contains(".") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  /// Returns the make and the model. Many models begin with the make.
  private static func joined(_ make: String?, _ model: String?) -> String? {
    guard let make, let model else { return make ?? model }
    return model.lowercased().hasPrefix(make.lowercased()) ? model : "\(make) \(model)"
  }
}
