// Dogs of different breeds, without accessories.
extension Dog {
  static let labrador = Dog(skull: .broad, ears: .floppy, fur: Colour(0xDFB06A), mouth: .panting)
  static let chocolateLabrador = Dog(
    skull: .broad, ears: .floppy, fur: Colour(0x6B3F26), iris: Colour(0x9A6A2A), nose: Colour(0x4A2C22),
    mouth: .smile)
  static let retriever = Dog(
    skull: .broad, ears: .floppy, coat: .fluffy, fur: Colour(0xD9974A), mouth: .panting)
  static let pug = Dog(
    skull: .round, ears: .button, marking: .mask, fur: Colour(0xE0BF90), markingColour: Colour(0x2B2220),
    earFur: Colour(0x2B2220), mouth: .blep)
  static let husky = Dog(
    skull: .broad, ears: .pricked, coat: .fluffy, marking: .husky, fur: Colour(0x59616B),
    iris: Colour(0x7CC4E8),
    mouth: .smile)
  static let samoyed = Dog(
    skull: .broad, ears: .pricked, coat: .fluffy, fur: Colour(0xF3EEE6), mouth: .panting)
  static let beagle = Dog(
    skull: .broad, ears: .long, marking: .tricolour, fur: Colour(0xA2602E), earFur: Colour(0x8A4D22),
    mouth: .smile)
  static let poodle = Dog(skull: .long, ears: .curly, coat: .curly, fur: Colour(0xEBDFCE), mouth: .smile)
  static let doodle = Dog(skull: .broad, ears: .curly, coat: .curly, fur: Colour(0xB9763C), mouth: .panting)
  static let schnauzer = Dog(
    skull: .square, ears: .folded, coat: .wiry, fur: Colour(0x76727A), mouth: .shut)
  static let frenchBulldog = Dog(skull: .round, ears: .bat, fur: Colour(0x8E8A90), mouth: .shut)
  static let boston = Dog(skull: .round, ears: .bat, marking: .blaze, fur: Colour(0x2B2728), mouth: .smile)
  static let dalmatian = Dog(
    skull: .broad, ears: .floppy, marking: .spots, fur: Colour(0xF6F2EC), markingColour: Colour(0x2A2627),
    earFur: Colour(0x2A2627), mouth: .panting)
  static let australianShepherd = Dog(
    skull: .broad, ears: .folded, coat: .fluffy, marking: .merle, fur: Colour(0x9098A6),
    markingColour: Colour(0x3A3D47),
    iris: Colour(0x7CC4E8), mouth: .smile)
  static let bernese = Dog(
    skull: .broad, ears: .floppy, coat: .fluffy, marking: .blaze, fur: Colour(0x28232A), mouth: .smile)
  static let jackRussell = Dog(
    skull: .broad, ears: .folded, marking: .patch, fur: Colour(0xF8F3EA), markingColour: Colour(0xA2622F),
    earFur: Colour(0xC98A52), mouth: .smile)
  static let corgi = Dog(
    skull: .broad, ears: .pricked, marking: .blaze, fur: Colour(0xD98A3D), mouth: .panting)
  static let shiba = Dog(skull: .round, ears: .pricked, marking: .husky, fur: Colour(0xD9853B), mouth: .smile)
  static let doberman = Dog(
    skull: .long, ears: .pricked, marking: .points, fur: Colour(0x2B2625), markingColour: Colour(0xB4713A),
    mouth: .smile)
  static let dachshund = Dog(
    skull: .long, ears: .long, marking: .points, fur: Colour(0x4A2A1C), markingColour: Colour(0xB87440),
    mouth: .smile)
  static let spaniel = Dog(
    skull: .broad, ears: .long, coat: .fluffy, marking: .blaze, fur: Colour(0x9A4E22), mouth: .smile)
  static let weimaraner = Dog(
    skull: .broad, ears: .floppy, fur: Colour(0x9C938F), iris: Colour(0xC9B26A), nose: Colour(0x5E4E4C),
    mouth: .shut)
  static let germanShepherd = Dog(
    skull: .long, ears: .pricked, coat: .fluffy, marking: .mask, fur: Colour(0xB98448),
    markingColour: Colour(0x2A2220), earFur: Colour(0x5A4028),
    mouth: .panting)
  static let puppy = Dog(
    skull: .round, ears: .floppy, marking: .patch, fur: Colour(0xF5EEE2), markingColour: Colour(0x8A5A34),
    mouth: .shut)

  /// Returns a modified copy of the dog.
  func with(_ change: (inout Dog) -> Void) -> Dog {
    var dog = self
    change(&dog)
    return dog
  }
}
