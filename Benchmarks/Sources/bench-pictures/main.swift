// Draws a picture for benchmarks: bench-pictures smooth|noisy WIDTH HEIGHT SEED FILE.ppm
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 6, let surface = ["smooth": Scene.Surface.smooth, "noisy": .noisy][arguments[1]],
  let width = Int(arguments[2]), let height = Int(arguments[3]), let seed = UInt64(arguments[4]), width > 0,
  height > 0
else {
  FileHandle.standardError.write(Data("usage: bench-pictures smooth|noisy WIDTH HEIGHT SEED FILE.ppm\n".utf8))
  exit(2)
}
let picture = Scene(seed: seed, surface: surface).picture(width: width, height: height)
try Data(picture.portableAnyMap()).write(to: URL(filePath: arguments[5]))
