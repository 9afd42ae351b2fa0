import Foundation
import KennelCommand
import KennelModel
import RetrieverImages

// Photos are decoded by processes of this program, and posters of videos are made by one that this program restricts.
ImageSandbox.runIfRequested()
VideoPoster.runIfRequested(Array(CommandLine.arguments.dropFirst()))

exit(
  await KennelProgram.run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
