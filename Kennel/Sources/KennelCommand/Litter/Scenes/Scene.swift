/// The scene of a picture.
enum Scene: Sendable, CaseIterable {
  case meadow, beach, snow, sofa, night, autumn, studio, lake, bath, party, fence, blossom

  var light: Light {
    switch self {
    case .meadow: Light(rim: Colour(0xFFF0B8), side: -1, strength: 0.42)
    case .beach:
      Light(tint: Colour(red: 1.04, green: 0.9, blue: 0.82), rim: Colour(0xFFB35C), side: 1, strength: 0.75)
    case .snow:
      Light(tint: Colour(red: 0.96, green: 0.98, blue: 1.04), rim: Colour(0xFFFFFF), side: -1, strength: 0.4)
    case .sofa:
      Light(tint: Colour(red: 1.0, green: 0.93, blue: 0.84), rim: Colour(0xFFD08A), side: 1, strength: 0.5)
    case .night:
      Light(tint: Colour(red: 0.8, green: 0.8, blue: 1.0), rim: Colour(0xBFD4FF), side: 1, strength: 0.6)
    case .autumn:
      Light(tint: Colour(red: 1.02, green: 0.95, blue: 0.86), rim: Colour(0xFFC870), side: -1, strength: 0.55)
    case .studio: Light(rim: Colour(0xFFFFFF), side: -1, strength: 0.4)
    case .lake:
      Light(tint: Colour(red: 0.98, green: 0.98, blue: 1), rim: Colour(0xFFE6C4), side: 1, strength: 0.45)
    case .bath: Light(rim: Colour(0xFFFFFF), side: -1, strength: 0.35)
    case .party:
      Light(tint: Colour(red: 1.02, green: 0.95, blue: 0.92), rim: Colour(0xFFD9A0), side: -1, strength: 0.45)
    case .fence: Light(rim: Colour(0xFFF3C8), side: 1, strength: 0.45)
    case .blossom:
      Light(tint: Colour(red: 1.02, green: 0.97, blue: 0.98), rim: Colour(0xFFE3EC), side: -1, strength: 0.45)
    }
  }

  /// Draws everything behind the dog.
  func drawBehind(_ stage: inout Stage) {
    switch self {
    case .meadow: Outdoors.meadow(&stage)
    case .beach: Outdoors.beach(&stage)
    case .snow: Outdoors.snow(&stage)
    case .night: Outdoors.night(&stage)
    case .autumn: Outdoors.autumn(&stage)
    case .lake: Outdoors.lake(&stage)
    case .fence: Outdoors.garden(&stage)
    case .blossom: Outdoors.blossom(&stage)
    case .sofa: Indoors.sofa(&stage)
    case .studio: Indoors.studio(&stage)
    case .bath: Indoors.bath(&stage)
    case .party: Indoors.party(&stage)
    }
  }

  /// Draws the edge that a peeking dog looks over.
  func drawEdge(_ stage: inout Stage, y: Double) {
    switch self {
    case .bath: Indoors.tub(&stage, y)
    default: Outdoors.fence(&stage, y)
    }
  }

  /// Draws everything in front of the dog.
  func drawInFront(_ stage: inout Stage) {
    switch self {
    case .meadow: Outdoors.meadowInFront(&stage)
    case .snow: Outdoors.snowInFront(&stage)
    case .autumn: Outdoors.autumnInFront(&stage)
    case .blossom: Outdoors.blossomInFront(&stage)
    case .beach: stage.glare(stage.width * 0.76, stage.height * 0.42, 620, Colour(0xFF9E4A).faded(0.34))
    case .party: Indoors.partyInFront(&stage)
    case .bath: Indoors.bathInFront(&stage)
    case .sofa: stage.glare(stage.width * 0.94, stage.height * 0.1, 560, Colour(0xFFD08A).faded(0.3))
    case .fence, .night, .lake, .studio: break
    }
    stage.vignette(self == .night ? 0.42 : 0.15)
  }
}
