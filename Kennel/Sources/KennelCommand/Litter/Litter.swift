/// A post of the demonstration: a picture, its caption and its comments.
struct LitterPost: Sendable {
  let picture: Picture
  let caption: String
  /// The comments, each with the index of its author in ``Litter/members``.
  let comments: [(member: Int, text: String)]

  init(_ picture: Picture, _ caption: String, _ comments: [(member: Int, text: String)] = []) {
    self.picture = picture
    self.caption = caption
    self.comments = comments
  }
}

/// The posts of `kennel demo`, from the first to the last.
enum Litter {
  static let members = ["Ada", "Bruno", "Clementine", "Dev"]

  /// The pictures of the first members. The last one keeps the letter.
  static let portraits: [Picture] = [
    Picture(dog: .corgi.with { $0.collar = Colour(0x3A6EA5) }, scene: .meadow, form: .square, seed: 71),
    Picture(dog: .samoyed.with { $0.tilt = 0.1 }, scene: .autumn, form: .square, seed: 72),
    Picture(dog: .spaniel.with { $0.tilt = -0.1 }, scene: .lake, form: .square, seed: 73),
  ]

  static let posts: [LitterPost] = [
    LitterPost(
      Picture(
        dog: .weimaraner.with {
          $0.collar = Colour(0x3A6EA5); $0.tilt = 0.1
        }, scene: .studio, form: .portrait, seed: 11),
      "Passport photo. Apparently one may not smile."),
    LitterPost(
      Picture(
        dog: .dachshund.with {
          $0.pose = .lying; $0.collar = Colour(0xE8B15A)
        }, scene: .sofa, seed: 12),
      "The long one takes up the entire sofa. Again.",
      [(1, "There was never going to be room for you."), (3, "Measure him in cushions!")]),
    LitterPost(
      Picture(
        dog: .jackRussell.with {
          $0.pose = .peeking; $0.tilt = -0.12
        }, scene: .fence, seed: 13),
      "Neighbourhood watch, morning shift",
      [(0, "Nothing gets past this street.")]),
    LitterPost(
      Picture(
        dog: .bernese.with {
          $0.pose = .sitting; $0.collar = Colour(0xC8372D)
        }, scene: .lake, form: .portrait, seed: 14),
      "Forty-five kilos of “can I sit on your lap?”", [(2, "Yes. The answer is yes.")]),
    LitterPost(
      Picture(
        dog: .boston.with {
          $0.extra = .bow; $0.extraColour = Colour(0xC8372D); $0.collar = nil
        }, scene: .studio, form: .square, seed: 15),
      "Dressed for dinner. Dinner is at six. It is four."),
    LitterPost(
      Picture(
        dog: .germanShepherd.with { $0.pose = .sitting }, scene: .autumn, form: .portrait, seed: 16),
      "Guards the leaf pile. Nobody has stolen a single leaf.", [(1, "Medal, please."), (2, "Two medals.")]),
    LitterPost(
      Picture(
        dog: .puppy.with {
          $0.pose = .asleep; $0.eyes = .asleep; $0.collar = Colour(0x5BC0EB)
        }, scene: .sofa, seed: 17),
      "First day at home: three minutes of zoomies, three hours of this", [(0, "My heart!"), (3, "Shhh.")]),
    LitterPost(
      Picture(
        dog: .frenchBulldog.with {
          $0.extra = .bandana; $0.extraColour = Colour(0x2E8B8B); $0.tilt = 0.14
        }, scene: .blossom, form: .square,
        seed: 18),
      "Heard the word “cheese” two rooms away"),
    LitterPost(
      Picture(
        dog: .dalmatian.with {
          $0.pose = .sitting; $0.collar = Colour(0xC8372D)
        }, scene: .meadow, offset: -0.14, seed: 19),
      "We counted: 84 spots, one of them is mud", [(2, "Which one?"), (0, "We will never know.")]),
    LitterPost(
      Picture(
        dog: .schnauzer.with {
          $0.extra = .scarf; $0.collar = nil; $0.extraColour = Colour(0xB8413A)
        }, scene: .autumn, form: .portrait,
        seed: 20),
      "The professor is ready for your questions", [(3, "Will there be treats in the exam?")]),
    LitterPost(
      Picture(
        dog: .spaniel.with {
          $0.pose = .lying; $0.eyes = .happy
        }, scene: .blossom, offset: 0.06, seed: 21),
      "Found the only sunny spot in the orchard and signed a lease"),
    LitterPost(
      Picture(
        dog: .doodle.with {
          $0.pose = .peeking; $0.extra = .foam; $0.collar = nil
        }, scene: .bath, form: .square, seed: 22),
      "We do not say the b-word in this house",
      [(1, "And yet."), (2, "The duck looks worried."), (0, "That beard!")]),
    LitterPost(
      Picture(
        dog: .doberman.with {
          $0.extra = .crown; $0.collar = Colour(0x7A3FA0)
        }, scene: .studio, form: .portrait, seed: 26),
      "Her Majesty will see you now", [(3, "I brought cheese.")]),
    LitterPost(
      Picture(
        dog: .chocolateLabrador.with {
          $0.extra = .sunglasses; $0.extraColour = Colour(0x20202A); $0.mouth = .panting
        }, scene: .beach, offset: -0.08, seed: 23),
      "Out of office until further notice"),
    LitterPost(
      Picture(
        dog: .shiba.with {
          $0.eyes = .wink; $0.collar = Colour(0x2E8B57)
        }, scene: .blossom, form: .portrait, seed: 24),
      "Knows exactly where the other shoe is", [(0, "Guilty. Adorable, but guilty.")]),
    LitterPost(
      Picture(
        dog: .beagle.with {
          $0.extra = .partyHat; $0.extraColour = Colour(0x5BC0EB); $0.tilt = -0.08
        }, scene: .party, form: .square, seed: 25),
      "Five today! Wished for a sausage, got two",
      [(0, "Happy birthday!"), (1, "Many happy sausages."), (2, "Save me a slice.")]),
    LitterPost(
      Picture(
        dog: .australianShepherd.with {
          $0.pose = .sitting; $0.collar = Colour(0xE8B15A)
        }, scene: .lake, offset: 0.12, seed: 27),
      "Has herded: two ducks, one canoe, the entire family"),
    LitterPost(
      Picture(
        dog: .poodle.with {
          $0.eyes = .happy; $0.extra = .bow; $0.extraColour = Colour(0xE0567A); $0.collar = nil
        }, scene: .studio, form: .square, seed: 28),
      "Straight from the hairdresser and well aware of it", [(2, "Who does her curls?")]),
    LitterPost(
      Picture(
        dog: .samoyed.with {
          $0.pose = .sitting; $0.collar = Colour(0x3A6EA5)
        }, scene: .snow, form: .portrait, seed: 29),
      "Spot the dog", [(1, "It took me a minute.")]),
    LitterPost(
      Picture(
        dog: .pug.with {
          $0.collar = Colour(0x3A78D8); $0.tilt = 0.16
        }, scene: .party, form: .portrait, seed: 30),
      "Tilts his head at every word. We have run out of words.", [(3, "Try “biscuit”.")]),
    LitterPost(
      Picture(
        dog: .corgi.with {
          $0.collar = Colour(0xC8372D); $0.pose = .peeking; $0.tilt = 0.06
        }, scene: .fence, form: .portrait, seed: 31),
      "Short legs. Standing on the dachshund, we think."),
    LitterPost(
      Picture(
        dog: .husky.with {
          $0.extra = .woolHat; $0.extraColour = Colour(0xC8372D); $0.collar = nil
        }, scene: .snow, offset: 0.04, seed: 33),
      "First snow! We have been outside since six.", [(0, "Those eyes."), (2, "And the hat!")]),
    LitterPost(
      Picture(
        dog: .labrador.with {
          $0.pose = .sitting; $0.eyes = .happy; $0.mouth = .smile
        }, scene: .night, offset: -0.1, seed: 34),
      "Counting shooting stars. So far: four, and one moth.", [(1, "Make a wish, good boy.")]),
    LitterPost(
      Picture(
        dog: .retriever.with {
          $0.collar = Colour(0x2E8B8B); $0.extra = .flower; $0.extraColour = Colour(0xF7A6C1); $0.tilt = -0.07
        }, scene: .meadow, seed: 36),
      "Picked a flower for you. Ate the others.",
      [(0, "I will treasure it."), (1, "Best dog of the day."), (3, "Every day.")]),
  ]
}
