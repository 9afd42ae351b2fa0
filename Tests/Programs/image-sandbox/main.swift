// Decodes images in the sandbox, or tries what the sandbox denies.
//
//   image-sandbox FILE COUNT      makes COUNT thumbnails of FILE in the sandbox, and as many without it; prints the times
import Foundation
import RetrieverImages

ImageSandbox.runIfRequested()

guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]), count > 0 else { exit(2) }
let data = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
let target = ThumbnailTarget(width: 320, height: 320)

for (name, sandbox) in [
  ("start", try ImageSandbox(ImageSandbox.Configuration())), ("sandbox", .standard), ("without", .disabled),
] {
  let times = name == "start" ? 1 : count
  if name != "start" { _ = try await sandbox.thumbnail(of: data, target) }
  let start = ContinuousClock.now
  for _ in 0..<times { _ = try await sandbox.thumbnail(of: data, target) }
  print(name, (ContinuousClock.now - start) / times)
}
