import Foundation
import RetrieverImages
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct LitterTests {
  @Test func theSameSeedDrawsTheSamePicture() throws {
    for post in Litter.posts.prefix(3) {
      #expect(post.picture.jpeg(scale: 0.08) == post.picture.jpeg(scale: 0.08))
    }
    var other = Litter.posts[8].picture
    let before = other.jpeg(scale: 0.08)
    other.seed += 6
    #expect(other.jpeg(scale: 0.08) != before)
  }

  @Test func `pictures have all three forms and their full size`() {
    var forms: Set<Int> = []
    for post in Litter.posts {
      let (width, height) = post.picture.size
      #expect((1600...2400).contains(max(width, height)))
      forms.insert((width - height).signum())
    }
    #expect(forms == [-1, 0, 1])
  }

  @Test func everyDogHasItsOwnCaptionAndSeed() {
    #expect(Litter.posts.count == 24)
    #expect(Set(Litter.posts.map(\.caption)).count == 24)
    #expect(Set(Litter.posts.map(\.picture.seed)).count == 24)
    #expect(Litter.portraits.allSatisfy { $0.size.width == $0.size.height })
    for post in Litter.posts { #expect(post.comments.allSatisfy { $0.member < Litter.members.count }) }
  }

  @Test func `pictures are delivered in order`() async throws {
    var order: [Int] = []
    try await Litter.draw(Array(Litter.posts.prefix(5)), scale: 0.05) { index, data in
      order.append(index)
      #expect(UIImage(data: data) != nil)
    }
    #expect(order == [0, 1, 2, 3, 4])
  }

  @Test func `every picture has contrast`() async throws {
    try await Litter.draw(Litter.posts, scale: 0.06) { _, data in
      let pixels = try await UIImage(validating: data).pixels()
      let brightness = stride(from: 0, to: pixels.samples.count, by: 30).map { Int(pixels.samples[$0]) }
      #expect((brightness.max() ?? 0) - (brightness.min() ?? 0) > 100)
    }
  }
}
