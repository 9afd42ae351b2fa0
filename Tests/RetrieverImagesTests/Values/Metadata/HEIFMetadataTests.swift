import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

/// Metadata of HEIC and AVIF images. `MetadataReadingTests` and `StrippingTests` cover what they share with other formats.
@Suite(.timeLimit(.minutes(5))) struct HEIFMetadataTests {
  private func strip(_ form: HEIFFixture) throws -> Data { try StrippedImage(data: form.data()).data() }

  @Test(arguments: [HEIFFixture.Tile.gradient, .gradientAV1])
  func `the records of the main image are read, in all arrangements`(_ tile: HEIFFixture.Tile) throws {
    var forms = [FullFixture.heifForm(tile), FullFixture.heifForm(tile, isInMeta: true)]
    for change: (inout HEIFFixture) -> Void in [
      { $0.isMetaLast = true }, { $0.parts = 3 }, { $0.locationVersion = 2 }, { $0.locationVersion = 0 },
    ] {
      forms.append(forms[0])
      change(&forms[forms.count - 1])
    }
    forms[2].lastBoxes = []
    for form in forms {
      let metadata = try ImageMetadata(data: form.data())
      #expect(metadata.format == (tile.type == "av01" ? .avif : .heic))
      #expect(metadata.pixelWidth == 64 && metadata.pixelHeight == 64)
      #expect(metadata.cameraModel == "K-1" && metadata.title == "A dog & a cat")
      #expect(metadata.location != nil && metadata.colorProfileName == "RGB built-in")
      #expect(metadata.orientation == .right, "that of EXIF data has no meaning")
    }
  }

  @Test func `items that describe another image are not those of the main image`() throws {
    var form = HEIFFixture()
    form.items.append(HEIFFixture(.red).items[0])
    form.describe(2, by: HEIFFixture.exif(TIFFFixture.camera().data()))
    #expect(try ImageMetadata(data: form.data()).cameraModel == nil)
    form.references = []
    #expect(try ImageMetadata(data: form.data()).cameraModel == "K-1", "it does not say what it describes")
  }

  @Test func `the size is that of the part that is shown, before the rotation`() throws {
    var form = HEIFFixture(properties: [
      HEIFFixture.crop(width: 40, height: 30, fromMiddle: 0, 0), HEIFFixture.rotation(quarterTurnsLeft: 1),
      HEIFFixture.mirroring(swapsSides: true),
    ])
    let metadata = try ImageMetadata(data: form.data())
    #expect(metadata.pixelWidth == 40 && metadata.pixelHeight == 30)
    #expect(metadata.orientation == UIImage(data: form.data())?.imageOrientation)
    // A feature that the decoder does not support.
    form.items[0].properties.append(HEIFFixture.full("abcd", []))
    #expect(try ImageMetadata(data: form.data()).pixelWidth == 40)
  }

  @Test(arguments: [true, false])
  func `a grid stays a grid, and the item of its pixels may be anywhere`(isInMeta: Bool) throws {
    var form = HEIFFixture.phone(properties: [HEIFFixture.rotation(quarterTurnsLeft: 1)])
    form.items[4].isInMeta = isInMeta
    form.parts = 2
    form.describe(by: HEIFFixture.exif(TIFFFixture.camera().data()))
    let result = try strip(form)
    #expect(result.count == form.data().count)
    #expect(decode(result).pixels == decode(form.data()).pixels && decode(result).error == nil)
    #expect(try ImageMetadata(data: result).cameraModel == nil)
    #expect(result.range(of: Data("Exif".utf8)) == nil, "the item is not listed either")
  }

  @Test func `the opacity stays`() throws {
    var form = HEIFFixture(.gradient)
    form.addAlpha(.grey, isPremultiplied: true)
    form.describe(by: HEIFFixture.xmp(XMPFixture.packet))
    let result = try strip(form)
    #expect(decode(result).layout?.format == .rgba8)
    #expect(decode(result).pixels == decode(form.data()).pixels)
  }

  @Test func `metadata that shares bytes with the pixels cannot be removed`() throws {
    var form = HEIFFixture(.gradient)
    form.items.append(HEIFFixture.Item(type: "Exif", data: [], sharedItem: 1))
    let error = #expect(throws: ImageError.self) { try strip(form) }
    #expect(error?.code == .unsupported && error?.description.contains("shares bytes") == true)
    // Two images may share their pixels.
    form.items[1] = HEIFFixture.Item(type: "hvc1", data: [], sharedItem: 1)
    form.describe(by: HEIFFixture.xmp(XMPFixture.packet))
    #expect(try decode(strip(form)).pixels == decode(form.data()).pixels)
  }

  @Test func `what cannot be stripped is refused with a reason`() throws {
    var form = FullFixture.heifForm()
    form.lastBoxes = HEIFFixture.box("moov", [])
    let sequence = #expect(throws: ImageError.self) { try strip(form) }
    #expect(sequence?.code == .unsupported && sequence?.description.contains("sequence") == true)
    form = FullFixture.heifForm()
    form.items[0].properties.append(HEIFFixture.full("abcd", []))
    let unknown = #expect(throws: ImageError.self) { try strip(form) }
    #expect(unknown?.description.contains("abcd") == true)
    form = FullFixture.heifForm()
    form.constructionMethod = 2
    #expect(throws: ImageError.self) { try strip(form) }
    form = FullFixture.heifForm()
    form.lastBoxes = []
    let truncated = form.data().dropLast(form.unusedData.count + 20)
    let error = #expect(throws: ImageError.self) { try StrippedImage(data: truncated) }
    #expect(error?.code == .truncated)
  }

  @Test(arguments: ["jpeg", "j2k1"])
  func `an image whose data can contain metadata of its own is refused`(type: String) throws {
    var form = FullFixture.heifForm()
    form.items[0].type = type
    let error = #expect(throws: ImageError.self) { try strip(form) }
    #expect(error?.code == .unsupported && error?.description.contains(type) == true)
  }

  @Test func `an AVIF whose main brand is general is not a video`() throws {
    var form = HEIFFixture(.gradientAV1)
    form.brands = ["miaf", "avif", "mif1"]
    #expect(!MovieFile.isMovie(form.data()))
    form.describe(by: HEIFFixture.exif(TIFFFixture.camera().data()))
    #expect(try ImageMetadata(data: form.data()).cameraModel == "K-1")
    let result = try strip(form)
    #expect(try ImageMetadata(data: result).cameraModel == nil)
    #expect(decode(result).error == nil && decode(result).pixels == decode(form.data()).pixels)
  }

  // MARK: Gain maps

  private func withAppleMap() -> HEIFFixture {
    var form = HEIFFixture(.gradient)
    let type = HEIFFixture.auxiliary("urn:com:apple:photo:2020:aux:hdrgainmap")
    let tile = HEIFFixture.Tile.grey
    form.items.append(
      HEIFFixture.Item(
        type: tile.type, data: tile.data, properties: [tile.configuration, HEIFFixture.size(64, 64), type]))
    form.references.append(("auxl", 2, [1]))
    let packet = GainMapFixture.apple.replacingOccurrences(
      of: "HDRGainMapVersion=\"65536\"",
      with: "HDRGainMapVersion=\"131072\" HDRGainMap:HDRGainMapHeadroom=\"3.5\" dc:source=\"secret\" "
        + "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"")
    form.describe(2, by: HEIFFixture.xmp(packet))
    form.describe(by: HEIFFixture.exif(TIFFFixture.camera().data()))
    return form
  }

  @Test(arguments: [false, true]) func `Apple's gain map is an image of its own`(isInMeta: Bool) throws {
    var form = withAppleMap()
    if isInMeta { for index in form.items.indices { form.items[index].isInMeta = true } }
    let map = try #require(try ImageMetadata(data: form.data()).gainMap)
    #expect(map.kind == .apple && map.pixelWidth == 64 && map.pixelHeight == 64 && map.headroom == 3.5)
    let decoded = decode(map.data)
    #expect(decoded.error == nil && decoded.layout?.format == .grey8)
    #expect(decoded.pixels == decode(HEIFFixture(.grey).data()).pixels)
    let result = try strip(form)
    #expect(try ImageMetadata(data: result).gainMap == map, "with its headroom")
    #expect(result.range(of: Data("secret".utf8)) == nil && result.range(of: Data("K-1".utf8)) == nil)
    #expect(try StrippedImage(data: result).removed.isEmpty)
    #expect(decode(result).pixels == decode(form.data()).pixels)
  }

  @Test(arguments: [false, true])
  func `a gain map in the form of a JPEG is left out with its metadata`(hasToneMap: Bool) throws {
    var form = HEIFFixture(.gradient)
    let jpeg = JPEGFixture.adding(Array("secret".utf8), marker: 0xFE, to: try JPEGFixture.baseline())
    let type = HEIFFixture.auxiliary("urn:com:apple:photo:2020:aux:hdrgainmap")
    form.items.append(
      HEIFFixture.Item(
        type: "jpeg", data: [UInt8](jpeg),
        properties: [HEIFFixture.size(67, 53)] + (hasToneMap ? [] : [type])))
    if hasToneMap {
      form.items.append(
        HEIFFixture.Item(type: "tmap", data: [0, 0, 0, 0], properties: [HEIFFixture.size(64, 64)]))
      form.references.append(("dimg", 3, [1, 2]))
    } else {
      form.references.append(("auxl", 2, [1]))
    }
    let stripped = try StrippedImage(data: form.data())
    #expect(stripped.removed == [.otherData])
    let result = try stripped.data()
    #expect(result.range(of: Data("secret".utf8)) == nil)
    #expect(try ImageMetadata(data: result).gainMap == nil)
    #expect(decode(result).error == nil && decode(result).pixels == decode(form.data()).pixels)
    #expect(try StrippedImage(data: result).removed.isEmpty)
  }

  @Test func `a map with a grid is an image of its own too`() throws {
    var form = HEIFFixture.phone()
    let grid = form.items[4]
    form.items.append(grid)
    form.references.append(("dimg", 6, [4, 3, 2, 1]))
    form.items[5].properties.append(HEIFFixture.auxiliary("urn:com:apple:photo:2020:aux:hdrgainmap"))
    form.references.append(("auxl", 6, [5]))
    let map = try #require(try ImageMetadata(data: form.data()).gainMap)
    let expected = HEIFFixture(
      grid: [.red, .gradient, .gradient, .red], columns: 2, width: 120, height: 100)
    #expect(decode(map.data).pixels == decode(expected.data()).pixels)
  }

  @Test func `the parameters of ISO 21496-1 are those of the item that combines the images`() throws {
    var form = HEIFFixture(.gradientAV1)
    form.items.append(HEIFFixture(.greyAV1).items[0])
    let numbers = [64, 0, 192, -64, 160, 64, 1, 2]
    let parameters: [UInt8] = [0, 0, 0, 0, 0, 0x08] + numbers.flatMap { PNGFixture.big($0) }
    form.items.append(
      HEIFFixture.Item(type: "tmap", data: parameters, properties: [HEIFFixture.size(64, 64)]))
    form.references.append(("dimg", 3, [1, 2]))
    form.describe(by: HEIFFixture.exif(TIFFFixture.camera().data()))
    let map = try #require(try ImageMetadata(data: form.data()).gainMap)
    #expect(map.kind == .ultraHDR && map.parameters?.capacityMaximum == 3 && map.parameters?.maximum == [2.5])
    #expect(decode(map.data).header?.format == .avif)
    let result = try strip(form)
    #expect(try ImageMetadata(data: result).gainMap == map)
    #expect(try ImageMetadata(data: result).cameraModel == nil)
  }
}
