import Testing

@testable import KennelCommand

@Suite struct DrawingTests {
  private func covered(_ path: Path, size: Int = 64, _ transform: Transform = .identity) -> Double {
    var coverage = Coverage(path, transform, width: size, height: size)
    var sum = 0.0
    coverage.forEachRun { _, columns, level in sum += Double(columns.count * level) / 65536 }
    return sum
  }

  @Test func `coverage is exact at the edges`() {
    #expect(abs(covered(.rectangle(3.25, 4.5, 10.5, 7.25)) - 10.5 * 7.25) < 0.01)
    #expect(abs(covered(.polygon([Point(1, 1), Point(31, 1), Point(1, 41)])) - 600) < 0.05)
    #expect(abs(covered(.ellipse(32, 32, 20, 12)) - 20 * 12 * .pi) < 5)
    // The same polygon in the other direction.
    #expect(abs(covered(.polygon([Point(1, 41), Point(31, 1), Point(1, 1)])) - 600) < 0.05)
  }

  @Test func `shapes outside the canvas are clipped`() {
    #expect(covered(.rectangle(-100, -100, 300, 300)) == 64 * 64)
    #expect(abs(covered(.rectangle(-10, 10, 20, 5)) - 50) < 0.01)
    #expect(abs(covered(.rectangle(60, 60, 100, 100)) - 16) < 0.01)
    #expect(covered(.rectangle(100, 0, 10, 10)) == 0)
    #expect(covered(.ellipse(.nan, .infinity, 4, 4)) == 0)
  }

  @Test func `transforms are applied in order`() {
    let map = Transform.moved(10, 0).after(.scaled(2)).after(.moved(1, 1))
    #expect(map(Point(0, 0)) == Point(12, 2))
    let back = map.inverse?(Point(12, 2)) ?? Point(9, 9)
    #expect(back == Point(0, 0))
    #expect(abs(covered(.rectangle(0, 0, 4, 4), .scaled(2.5)) - 100) < 0.01)
  }

  private func pixel(_ canvas: Canvas, _ x: Int, _ y: Int) -> [Int] {
    let value = canvas.pixels[y * canvas.width + x]
    return [0, 8, 16].map { Int(value >> UInt32($0) & 0xFF) }
  }

  @Test func `colours are blended in the order of drawing`() {
    let canvas = Canvas(width: 40, height: 40)
    canvas.fill(.rectangle(0, 0, 40, 40), Colour(0x204060))
    #expect(pixel(canvas, 5, 5) == [0x20, 0x40, 0x60])
    canvas.fill(.rectangle(0, 0, 20, 40), Colour(0xFFFFFF, alpha: 0.5))
    for (value, expected) in zip(pixel(canvas, 5, 5), [0x90, 0xA0, 0xB0]) {
      #expect(abs(value - expected) <= 1)
    }
    canvas.fill(.rectangle(20, 0, 20, 40), Colour(0x808080), blend: .multiply)
    for (value, expected) in zip(pixel(canvas, 30, 5), [0x10, 0x20, 0x30]) {
      #expect(abs(value - expected) <= 1)
    }
    #expect(pixel(canvas, 39, 39)[0] < 0x20)
  }

  @Test func `gradients go from the first colour to the last`() {
    let canvas = Canvas(width: 100, height: 100)
    canvas.fill(.rectangle(0, 0, 100, 100), .across(Point(0, 0), Point(100, 0), .black, .white))
    #expect(pixel(canvas, 0, 50)[0] < 4 && pixel(canvas, 99, 50)[0] > 251)
    #expect(abs(pixel(canvas, 50, 50)[0] - 128) < 4)
    canvas.fill(
      .rectangle(0, 0, 100, 100), .radial(Point(50, 50), 50, 50, [.init(0, .white), .init(1, .black)]))
    #expect(pixel(canvas, 50, 50)[0] > 250 && pixel(canvas, 1, 1)[0] == 0)
  }

  @Test func `drawing with a mask affects only its shape`() {
    let canvas = Canvas(width: 40, height: 40)
    let mask = Mask(.rectangle(10, 10, 10.5, 10), on: canvas)
    canvas.fill(.rectangle(0, 0, 40, 40), .black, clip: mask)
    #expect(pixel(canvas, 5, 15)[0] == 255 && pixel(canvas, 15, 15)[0] == 0)
    #expect(abs(pixel(canvas, 20, 15)[0] - 128) < 4)
    #expect(pixel(canvas, 25, 15)[0] == 255)
  }

  @Test func `a backdrop is blurred and fills the picture`() {
    let canvas = Canvas(width: 90, height: 70)
    canvas.drawBackdrop(blur: 4) { far in
      far.fill(.rectangle(0, 0, 45, 80), .black)
      far.fill(.rectangle(45, 0, 100, 80), .white)
    }
    #expect(pixel(canvas, 0, 0)[0] < 5 && pixel(canvas, 89, 69)[0] > 250)
    #expect((60...200).contains(pixel(canvas, 45, 35)[0]))
  }
}
