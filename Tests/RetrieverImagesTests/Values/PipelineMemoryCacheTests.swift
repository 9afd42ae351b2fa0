import Foundation
import Testing

@testable import RetrieverImages

@Suite struct PipelineMemoryCacheTests {
  @Test func `a larger thumbnail is found while it is in memory`() {
    let image = UIImage(
      bitmap: Bitmap(
        size: PixelSize(width: 10, height: 10), format: .rgb8, pixels: [UInt8](repeating: 0, count: 300)))
    let cache = MemoryCache(limit: 2 * (image.memoryCost + 1))
    let resource = ImageResource(identity: "a")
    cache.insert(.init(image, .always), resource, .fit(200))
    cache.insert(.init(image, .always), resource, .fit(400))
    #expect(cache.source(for: .fit(100), of: resource) { _ in true } == .fit(200))
    #expect(cache.source(for: .fit(100), of: resource) { _ in false } == nil)
    cache.insert(.init(image, .always), ImageResource(identity: "b"), .fullSize)
    #expect(cache.source(for: .fit(100), of: resource) { _ in true } == .fit(400))
    cache.remove(resource)
    #expect(cache.source(for: .fit(100), of: resource) { _ in true } == nil)
    #expect(cache.cost == image.memoryCost + 1)
  }

  @Test func `the length of the URL counts toward the cost`() {
    let image = UIImage(
      bitmap: Bitmap(size: PixelSize(width: 1, height: 1), format: .rgb8, pixels: [0, 0, 0]))
    let cache = MemoryCache(limit: 100_000)
    for number in 0..<100 {
      let resource = ImageResource(identity: "\(number)" + String(repeating: "a", count: 8_000))
      cache.insert(.init(image, .always), resource, .fullSize)
    }
    let left = (0..<100).count { number in
      let resource = ImageResource(identity: "\(number)" + String(repeating: "a", count: 8_000))
      return cache.entry(resource, .fullSize) != nil
    }
    #expect(left > 5 && left <= 12)
  }
}
