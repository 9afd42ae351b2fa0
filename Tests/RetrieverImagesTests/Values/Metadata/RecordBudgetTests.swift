import Foundation
import Testing

@testable import RetrieverImages

/// Small files with many records that are large when they are inflated, or that share their bytes.
@Suite(.timeLimit(.minutes(5))) struct RecordBudgetTests {
  /// The reading of XML ends at its first byte, so that only the budget counts.
  private static let byte = UInt8(ascii: "<")
  private static let keyword = Array("XML:com.adobe.xmp\0".utf8)

  /// Returns a zlib stream of about 6 KiB that inflates to about 1 MiB of the same byte.
  private static func bomb(isDamaged: Bool = false) -> [UInt8] {
    let repetitions = 4_064
    var bytes: [UInt8] = [0x78, 0x01]
    var (held, count) = (0, 0)
    // Numbers begin with their lowest bit, codes with their highest.
    func append(_ bit: Int) {
      held |= bit << count
      count += 1
      guard count == 8 else { return }
      bytes.append(UInt8(held))
      (held, count) = (0, 0)
    }
    func write(_ code: Int, length: Int) {
      for place in (0..<length).reversed() { append(code >> place & 1) }
    }
    // The last block, with fixed codes.
    for bit in [1, 1, 0] { append(bit) }
    write(0x30 + Int(byte), length: 8)
    for _ in 0..<repetitions {
      // 258 bytes, from a distance of 1.
      write(0b1100_0101, length: 8)
      write(0, length: 5)
    }
    write(0, length: 7)
    while count > 0 { append(0) }
    let size = 1 + 258 * repetitions
    let value = Int(byte)
    let one = (1 + size * value) % 65_521
    let two = (size + value * (size * (size + 1) / 2)) % 65_521
    return bytes + PNGFixture.big((two << 16 | one) ^ (isDamaged ? 1 : 0))
  }

  private static func png(_ chunks: [[UInt8]]) -> Data {
    let plain = PNGFixture().data()
    // The signature and IHDR.
    let head = 8 + 25
    return plain.prefix(head) + Data(chunks.joined()) + plain.dropFirst(head)
  }

  private static let packet = PNGFixture.chunk(
    "iTXt", keyword + [0, 0, 0, 0] + Array(XMPFixture.packet.utf8))

  @Test func `a record that is larger than the rest of the budget takes nothing of it`() {
    var budget = RecordBudget(10)
    var taken: [Bool] = []
    for count in [7, 4, 3, 0, 1] { taken.append(budget.take(count)) }
    #expect(taken == [true, false, true, true, false] && budget.left == 0)
  }

  @Test func `the text of a test inflates to what it says`() throws {
    var budget = RecordBudget()
    let text = try #require(PNGText(name: "iTXt", data: Self.keyword + [1, 0, 0, 0] + Self.bomb()))
    let isExpected = text.bytes(within: &budget) == [UInt8](repeating: Self.byte, count: 1 + 258 * 4_064)
    #expect(isExpected)
    #expect(budget.left == RecordBudget.maximumBytes - (1 + 258 * 4_064))
  }

  @Test(arguments: [false, true])
  func `many compressed packets of a PNG are read up to the budget`(isDamaged: Bool) throws {
    let bomb = Self.bomb(isDamaged: isDamaged)
    let chunk = PNGFixture.chunk("iTXt", Self.keyword + [1, 0, 0, 0] + bomb)
    let bombs = [[UInt8]](repeating: chunk, count: 200)
    let last = Self.png(bombs + [Self.packet])
    let first = Self.png([Self.packet] + bombs)
    #expect(UIImage(data: last)?.imageOrientation == .up)
    #expect(UIImage(data: first)?.imageOrientation == .left)
    #expect(decode(last).finalHeader?.orientation == .up && decode(first).finalHeader?.orientation == .left)
    #expect(try ImageMetadata(data: last).title == nil)
    #expect(try ImageMetadata(data: first).title == "A dog & a cat")
    #expect(try MetadataRecords.read(DataSource(last)).budget.left < 2 << 20)
    var orientation = PNGOrientation()
    for _ in 0..<200 { orientation.take("iTXt", Self.keyword + [1, 0, 0, 0] + bomb) }
    #expect(orientation.budget.left < 2 << 20 && orientation.value == nil)
    // All of them are left out, also those that are not read.
    for file in [first, last] {
      let stripped = try StrippedImage(data: file)
      #expect(stripped.removed == [.xmp])
      #expect(try stripped.data().range(of: Data("iTXt".utf8)) == nil)
    }
  }

  @Test func `many profiles of a PNG are inflated up to the budget`() throws {
    let damaged = PNGFixture.chunk("iCCP", Array("profile\0\0".utf8) + Self.bomb(isDamaged: true))
    let file = Self.png([[UInt8]](repeating: damaged, count: 200) + [Self.packet])
    #expect(try ImageMetadata(data: file).title == nil)
  }

  // MARK: HEIC

  /// Returns a file with many items that share 1 MiB, before or after a real one.
  private static func heif(_ item: HEIFFixture.Item, isFirst: Bool) -> HEIFFixture {
    var form = HEIFFixture()
    if isFirst { form.items.append(item) }
    let number = form.items.count + 1
    for index in 0..<40 {
      form.items.append(
        HEIFFixture.Item(
          type: item.type, data: index == 0 ? [UInt8](repeating: byte, count: 1 << 20) : [],
          contentType: item.contentType, sharedItem: index == 0 ? nil : number))
    }
    if !isFirst { form.items.append(item) }
    return form
  }

  @Test func `packets of a HEIC that share their bytes are read up to the budget`() throws {
    let item = HEIFFixture.xmp(XMPFixture.packet)
    let last = Self.heif(item, isFirst: false).data()
    #expect(try ImageMetadata(data: last).title == nil)
    #expect(try MetadataRecords.read(DataSource(last)).budget.left < 1 << 20)
    #expect(try ImageMetadata(data: Self.heif(item, isFirst: true).data()).title == "A dog & a cat")
    let stripped = try StrippedImage(data: last)
    #expect(stripped.removed == [.xmp])
    #expect(try stripped.data().range(of: Data("A dog".utf8)) == nil, "it is left out without being read")
  }

  @Test func `EXIF items of a HEIC that share their bytes are read up to the budget`() throws {
    let item = HEIFFixture.exif(TIFFFixture.camera().data())
    let last = Self.heif(item, isFirst: false).data()
    #expect(try ImageMetadata(data: last).cameraModel == nil)
    let stripped = try StrippedImage(data: last)
    #expect(stripped.removed == [.exif], "the location is not known")
    #expect(try stripped.data().range(of: Data("K-1".utf8)) == nil)
    let first = Self.heif(item, isFirst: true).data()
    #expect(try ImageMetadata(data: first).cameraModel == "K-1")
    #expect(try StrippedImage(data: first).removed == [.exif, .location])
  }
}
