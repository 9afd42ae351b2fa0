/// Follows the chunks of a WebP in the order of the file, and decides which of them have an effect. The decoders ignore
/// the others, and copies without metadata leave them out.
struct WebPChunkOrder {
  private(set) var frameCount = 0
  private(set) var isAnimated = false
  private(set) var declaresEXIF = false
  /// The chunks with an effect so far: those outside of frames, and those in the current frame.
  private var used: Set<String> = []
  private var usedInFrame: Set<String> = []
  /// False in a frame that has no effect.
  private var isFrameUsed = false

  /// Takes the flags of the VP8X chunk, after its name.
  mutating func readFlags(_ flags: UInt8) {
    isAnimated = flags & WebPFile.animationFlag != 0
    declaresEXIF = flags & WebPFile.exifFlag != 0
  }

  /// Takes the name of the next chunk, and returns whether the chunk has an effect.
  mutating func uses(_ name: String, isInFrame: Bool = false) -> Bool {
    let kind = name == "VP8L" ? "VP8 " : name
    if isInFrame {
      // One picture, and its opacity before it.
      guard isFrameUsed, kind == "VP8 " || kind == "ALPH", !usedInFrame.contains("VP8 ") else { return false }
      return usedInFrame.insert(kind).inserted
    }
    if kind == "ANMF" {
      usedInFrame = []
      isFrameUsed = !hasStill
      if isFrameUsed { frameCount += 1 }
      return isFrameUsed
    }
    return isWanted(kind) && used.insert(kind).inserted
  }

  private var hasStill: Bool { used.contains("VP8 ") || used.contains("ALPH") }

  private func isWanted(_ kind: String) -> Bool {
    let hasPixels = hasStill || frameCount > 0
    let hasFeatures = used.contains("VP8X")
    return switch kind {
    case "VP8X", "ICCP", "ANIM": !hasPixels
    // A still image has one picture, and an animation only frames. Frames are also shown if the file does not declare them.
    case "VP8 ": !isAnimated && frameCount == 0
    case "ALPH": hasFeatures && !isAnimated && !hasPixels
    // The decoder waits for EXIF data after the pixels only if the file declares it. It ignores that of an animation.
    case "EXIF": hasFeatures && !isAnimated && (declaresEXIF || !hasPixels)
    default: false
    }
  }
}
