// Draws a picture that benchmarks encode: bench-pictures smooth|noisy WIDTH HEIGHT SEED [alpha] > FILE
import Foundation

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 4, let surface = ["smooth": Scene.Surface.smooth, "noisy": .noisy][arguments[1]],
  let width = Int(arguments[2]), let height = Int(arguments[3]), let seed = UInt64(arguments[4]),
  width > 0, height > 0
else {
  FileHandle.standardError.write(Data("usage: bench-pictures smooth|noisy WIDTH HEIGHT SEED [alpha]\n".utf8))
  exit(1)
}
let scene = Scene(seed: seed, surface: surface, hasAlpha: arguments.contains("alpha"))
FileHandle.standardOutput.write(Data(scene.picture(width: width, height: height).portableAnyMap()))
