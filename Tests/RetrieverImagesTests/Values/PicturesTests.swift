import TestSupport
import Testing

@Suite struct PicturesTests {
  @Test func theSameSeedDrawsTheSamePicture() {
    let first = Scene(seed: 7, surface: .noisy).picture(width: 90, height: 60).samples
    let second = Scene(seed: 7, surface: .noisy).picture(width: 90, height: 60).samples
    let other = Scene(seed: 8, surface: .noisy).picture(width: 90, height: 60).samples
    let isTheSame = first == second
    let isAnother = first != other
    #expect(isTheSame)
    #expect(isAnother)
  }

  @Test func aPictureWithAlphaHasTransparentAndOpaquePixels() {
    let picture = Scene(hasAlpha: true).picture(width: 90, height: 60)
    let alphas = stride(from: 3, to: picture.samples.count, by: 4).map { picture.samples[$0] }
    #expect(alphas.count == 90 * 60)
    #expect(alphas.contains(0))
    #expect(alphas.contains(65_535))
  }

  @Test func aPortableAnyMapHasAHeaderAndEverySample() {
    let picture = Scene().picture(width: 9, height: 5)
    #expect(picture.portableAnyMap().count == "P6\n9 5\n255\n".utf8.count + 9 * 5 * 3)
    #expect(picture.portableAnyMap(bits: 16).count == "P6\n9 5\n65535\n".utf8.count + 9 * 5 * 6)
  }
}
