import Foundation
import KennelCommand
import RetrieverImages

// Photos are decoded by processes of this program.
ImageSandbox.runIfRequested()

exit(
  await KennelProgram.run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
