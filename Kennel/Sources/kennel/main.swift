import Foundation
import KennelCommand

exit(
  await KennelProgram.run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
