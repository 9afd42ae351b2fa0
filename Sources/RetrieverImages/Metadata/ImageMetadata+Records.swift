import Foundation

extension ImageMetadata {
  /// Takes the values of all records. EXIF data, which the camera wrote, takes precedence for what only the camera knows;
  /// XMP, which editors write, for titles, descriptions and authors.
  mutating func take(_ records: MetadataRecords) {
    colorProfileName = records.profile.flatMap { ICCDescription.read($0) }
    comments = records.comments
    gainMap = records.gainMap
    modificationDate = records.modified
    if let tiff = records.exif { takeCamera(EXIFValues(tiff)) }
    if let packet = records.xmp { takeTexts(packet) }
    if let record = records.iptc { takeTexts(record) }
    if let tiff = records.exif { takeTexts(EXIFValues(tiff)) }
    if let packet = records.xmp { takeCamera(packet) }
    if let record = records.iptc { takeDate(record.creationDate) }
    takeTexts(records.texts)
    if resolution == nil { resolution = records.resolution }
    storedOrientation = records.orientation ?? .up
  }

  private mutating func takeCamera(_ exif: EXIFValues) {
    resolution = exif.resolution
    captureDate = exif.captureDate
    modificationDate = exif.modificationDate ?? modificationDate
    location = exif.location
    cameraMake = exif.make
    cameraModel = exif.model
    cameraSerialNumber = exif.cameraSerialNumber
    ownerName = exif.ownerName
    lensMake = exif.lensMake
    lensModel = exif.lensModel
    lensSerialNumber = exif.lensSerialNumber
    exposureTime = exif.exposureTime
    fNumber = exif.fNumber
    isoSpeed = exif.isoSpeed
    focalLength = exif.focalLength
    focalLengthIn35mmFilm = exif.focalLengthIn35mmFilm
    flashFired = exif.flashFired
    software = exif.software
  }

  private mutating func takeTexts(_ exif: EXIFValues) {
    title = title ?? exif.title
    description = description ?? exif.description
    artist = artist ?? exif.artist
    copyright = copyright ?? exif.copyright
    rating = rating ?? exif.rating
    addKeywords(exif.keywords)
  }

  private mutating func takeTexts(_ record: IPTCRecord) {
    title = title ?? record[.title].first
    description = description ?? record[.caption].first
    if artist == nil, !record[.author].isEmpty { artist = record[.author].joined(separator: "; ") }
    copyright = copyright ?? record[.copyright].first
    addKeywords(record[.keyword])
  }

  private mutating func takeTexts(_ packet: XMPPacket) {
    typealias Name = XMPPacket.Namespace
    title = packet.value(Name.dublinCore, "title")
    description = packet.value(Name.dublinCore, "description")
    let creators = packet.values(Name.dublinCore, "creator").compactMap { MetadataText.trimmed($0) }
    artist = MetadataText.trimmed(creators.joined(separator: "; "))
    copyright = packet.value(Name.dublinCore, "rights")
    rating = packet.value(Name.xmp, "Rating").flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    addKeywords(packet.values(Name.dublinCore, "subject"))
  }

  private mutating func takeCamera(_ packet: XMPPacket) {
    typealias Name = XMPPacket.Namespace
    cameraMake = cameraMake ?? packet.value(Name.tiff, "Make")
    cameraModel = cameraModel ?? packet.value(Name.tiff, "Model")
    lensModel = lensModel ?? packet.value(Name.exifExtended, "LensModel") ?? packet.value(Name.lens, "Lens")
    cameraSerialNumber =
      cameraSerialNumber ?? packet.value(Name.exifExtended, "BodySerialNumber")
      ?? packet.value(Name.lens, "SerialNumber")
    ownerName =
      ownerName ?? packet.value(Name.exifExtended, "CameraOwnerName") ?? packet.value(Name.lens, "OwnerName")
    software = software ?? packet.value(Name.xmp, "CreatorTool")
    takeDate(packet.value(Name.exif, "DateTimeOriginal"))
    takeDate(packet.value(Name.photoshop, "DateCreated"))
    takeDate(packet.value(Name.xmp, "CreateDate"))
    modificationDate = modificationDate ?? date(packet.value(Name.xmp, "ModifyDate"))
    location = location ?? packet.location
  }

  private func date(_ text: String?) -> Timestamp? { text.flatMap { Timestamp($0) } }

  /// Takes the time when the photo was taken, if no earlier record has stated it, or only the day.
  private mutating func takeDate(_ text: String?) {
    guard let found = date(text) else { return }
    guard let known = captureDate else {
      captureDate = found
      return
    }
    let isSameDay = (known.year, known.month, known.day) == (found.year, found.month, found.day)
    if known.isDateOnly, isSameDay { captureDate = found }
  }

  private mutating func takeTexts(_ texts: [(keyword: String, text: String)]) {
    func text(_ keyword: String) -> String? { texts.first { $0.keyword == keyword }?.text }
    title = title ?? text("Title")
    description = description ?? text("Description") ?? text("Comment")
    artist = artist ?? text("Author")
    copyright = copyright ?? text("Copyright")
    software = software ?? text("Software")
    let time = text("Creation Time")
    takeDate(time)
    if captureDate == nil { captureDate = time.flatMap { Timestamp(message: $0) } }
  }

  private mutating func addKeywords(_ more: [String]) {
    for keyword in more.prefix(IPTCRecord.maximumValues) {
      guard let keyword = MetadataText.trimmed(keyword), !keywords.contains(keyword) else { continue }
      keywords.append(keyword)
    }
  }
}

extension XMPPacket {
  fileprivate var location: ImageMetadata.Location? {
    guard let latitude = value(Namespace.exif, "GPSLatitude").flatMap({ Self.angle($0, "NS") }),
      let longitude = value(Namespace.exif, "GPSLongitude").flatMap({ Self.angle($0, "EW") })
    else { return nil }
    let isBelow = value(Namespace.exif, "GPSAltitudeRef") == "1"
    let altitude = value(Namespace.exif, "GPSAltitude").flatMap(Self.fraction).map { isBelow ? -$0 : $0 }
    return ImageMetadata.Location(latitude: latitude, longitude: longitude, altitude: altitude)
  }

  /// Reads an angle such as `52,30,36N` or `52,30.6N`. The second letter means a negative angle.
  private static func angle(_ text: String, _ letters: String) -> Double? {
    guard let letter = text.last, letters.contains(letter) else { return nil }
    let parts = text.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2 || parts.count == 3, let degrees = parts[0], let minutes = parts[1] else {
      return nil
    }
    let angle = degrees + minutes / 60 + ((parts.count == 3 ? parts[2] : nil) ?? 0) / 3_600
    guard angle.isFinite else { return nil }
    return (letter == letters.last ? -angle : angle).roundedAngle
  }

  /// Reads a fraction such as `345/10`, or a number.
  private static func fraction(_ text: String) -> Double? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    guard let top = parts[0], parts.count <= 2, let bottom = parts.count == 2 ? parts[1] : 1, bottom != 0
    else {
      return nil
    }
    let number = top / bottom
    return number.isFinite ? number : nil
  }
}
