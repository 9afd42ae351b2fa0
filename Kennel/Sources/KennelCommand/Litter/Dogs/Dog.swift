/// The appearance and the pose of a dog.
struct Dog: Sendable {
  enum Skull: Sendable { case round, broad, long, square }
  enum Ears: Sendable { case floppy, pricked, bat, folded, long, button, curly }
  enum Coat: Sendable { case smooth, fluffy, curly, wiry }
  enum Marking: Sendable { case none, mask, blaze, husky, points, patch, spots, merle, tricolour }
  enum Eyes: Sendable { case open, happy, asleep, wink }
  enum Mouth: Sendable { case shut, smile, panting, blep }
  enum Pose: Sendable { case bust, sitting, lying, asleep, peeking }
  enum Extra: Sendable {
    case nothing, bandana, bow, scarf, partyHat, woolHat, sunglasses, flower, foam, crown, glasses
  }

  var skull = Skull.broad
  var ears = Ears.floppy
  var coat = Coat.smooth
  var marking = Marking.none
  /// The main colour of the coat.
  var fur: Colour
  /// The colour of the marking.
  var markingColour = Colour(0xF7F1E6)
  /// The colour of the ears, if it differs from the coat.
  var earFur: Colour?
  var iris = Colour(0x6B3F1D)
  var nose = Colour(0x2B2423)
  var eyes = Eyes.open
  var mouth = Mouth.smile
  var pose = Pose.bust
  /// The tilt of the head in radians.
  var tilt = 0.0
  var collar: Colour? = Colour(0xC8372D)
  var extra = Extra.nothing
  var extraColour = Colour(0xC8372D)
}

/// The light of a scene on a dog.
struct Light: Sendable {
  /// The colour that all colours are multiplied by.
  var tint = Colour.white
  /// The colour of the light on the edge; `side` is its direction, where -1 is left.
  var rim = Colour(0xFFF3D6)
  var side = -1.0
  var strength = 0.35
}
