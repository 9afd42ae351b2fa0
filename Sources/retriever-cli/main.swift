import Foundation
import RetrieverCommand

exit(
  await CommandProgram.run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
