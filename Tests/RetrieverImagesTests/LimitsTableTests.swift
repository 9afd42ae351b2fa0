import TestSupport
import Testing

@testable import RetrieverImages

/// The table of limits in docs/architecture.md has the numbers of the code.
@Suite struct LimitsTableTests {
  private static let limits = ImageLimits()
  private static let sandbox = ImageSandbox.Configuration()

  private static let rows: [(name: String, numbers: [Int])] = [
    (
      "a picture",
      [
        limits.bytes, limits.pixels, limits.dimension, limits.frames, limits.memory,
        Int(limits.duration.components.seconds), limits.animationPixels, HEVCUnits.maximumCount,
      ]
    ),
    (
      "metadata of a picture",
      [
        MetadataRecords.maximumBytes, RecordBudget.maximumBytes, MetadataText.maximumBytes,
        MetadataRecords.maximumTexts,
        JPEGSegments.maximumSegments, JPEGSegments.maximumSegments, MetadataRecords.maximumParts,
        FileBoxes.maximumCount, HEIFDecoder.maximumMetaSize, MovieFile.maximumTrackCount,
        MovieSamples.maximumTableSize, GainMap.maximumBytes, StrippingPlan.maximumPieces,
      ]
    ),
    ("decoding threads", [WorkPool.maximumSlots]),
    (
      "thumbnails in memory, pictures on disk",
      [MemoryCache.maximumDefaultLimit, DiskCacheOptions().sizeLimit]
    ),
    (
      "a sandboxed process",
      [
        sandbox.memory, sandbox.processorSeconds, sandbox.maximumImages,
        Int(sandbox.startTimeout.components.seconds),
      ]
    ),
    ("a collage, a thumbnail larger than its picture", [CollageLayout.maximumPixels]),
  ]

  @Test(arguments: rows) func `a row has the numbers of the constants`(name: String, numbers: [Int]) throws {
    #expect(try LimitsTable().numbers(of: name) == numbers)
  }

  @Test func `a collage and an enlarged thumbnail have the same maximum`() {
    #expect(ThumbnailGeometry.maximumEnlargedPixels == CollageLayout.maximumPixels)
  }
}
