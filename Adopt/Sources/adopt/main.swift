import AdoptCommand
import Foundation

exit(
  await AdoptProgram.run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment))
