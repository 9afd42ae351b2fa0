import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct CodecGIFTests {
  private static let forms = [
    GIFFixture(), GIFFixture(isInterlaced: true), GIFFixture(transparent: 3),
    GIFFixture(screenWidth: 30, screenHeight: 25, left: 4, top: 6), GIFFixture(frameCount: 3),
    GIFFixture(screenWidth: 5, screenHeight: 5, isInterlaced: true, transparent: 0),
  ]

  private func expected(_ form: GIFFixture) -> [UInt8] {
    let width = max(form.screenWidth, form.left + form.width)
    let height = max(form.screenHeight, form.top + form.height)
    let hasAlpha = form.transparent != nil || width != form.width || height != form.height
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let (column, row) = (x - form.left, y - form.top)
        guard (0..<form.width).contains(column), (0..<form.height).contains(row) else {
          bytes += [0, 0, 0, 0]
          continue
        }
        let index = form.index(column, row)
        bytes += GIFFixture.color(index)
        if hasAlpha { bytes.append(index == form.transparent ? 0 : 255) }
      }
    }
    return bytes
  }

  @Test func `the first frame is read exactly, at its position`() {
    for form in Self.forms {
      let decoding = decode(form.data())
      #expect(decoding.error == nil && decoding.isComplete)
      let isExact = decoding.pixels == expected(form)
      #expect(isExact)
      #expect(decoding.layout?.format.hasAlpha == decoding.header?.hasAlpha)
    }
  }

  @Test func `pieces of any size give the same rows`() {
    for form in Self.forms {
      let data = form.data()
      let complete = decode(data)
      for size in [1, 3, 50] {
        let decoding = decode(data, cut: .pieces(of: size))
        #expect(decoding.pixels == complete.pixels && decoding.error == nil)
        #expect(decoding.finalHeader == complete.finalHeader)
      }
    }
  }

  @Test func `frames are counted to the end, and their number is limited`() {
    let data = GIFFixture(frameCount: 7).data()
    #expect(decode(data, cut: .pieces(of: 10)).finalHeader?.frameCount == 7)
    #expect(decode(data, limits: ImageLimits(frames: 6)).error?.code == .tooLarge)
  }

  @Test func `a truncated file gives its rows and then an error`() {
    for form in [GIFFixture(), GIFFixture(isInterlaced: true)] {
      let data = form.data()
      let complete = decode(data)
      for length in 0..<(data.count - 4) {
        let decoding = decode(data.prefix(length), cut: .random(seed: UInt64(length)))
        #expect(decoding.error?.code == .truncated)
        if !form.isInterlaced { #expect(complete.pixels.starts(with: decoding.pixels)) }
      }
      #expect(decode(data.dropLast(40)).rowCount >= 9)
    }
  }

  @Test func changedFilesNeverTrap() {
    let files = Self.forms.map { $0.data() }
    for seed in 0..<1_000 as Range<UInt64> {
      let data = mutated(files[Int(seed) % files.count], seed: seed)
      _ = decode(data, cut: seed.isMultiple(of: 2) ? .onePiece : .random(seed: seed))
    }
  }

  @Test func `sizes that are too large are rejected when the frame header is read`() {
    let form = GIFFixture(screenWidth: 60_000, screenHeight: 60_000)
    let decoding = decode(form.data().prefix(600))
    #expect(decoding.error?.description.contains("60000 by 60000") == true)
  }
}
