import Foundation

/// The program `adopt`, run for a package by a command plug-in.
enum AdoptProcess {
  /// Runs the program in the folder of a package, and ends the plug-in if its exit status is not 0.
  ///
  /// SwiftPM passes the exit status on. Throwing an error would only print a second message.
  static func run(_ program: URL, _ arguments: [String], in folder: URL) throws {
    let status = try status(of: program, arguments.isEmpty ? ["check"] : arguments, in: folder)
    if status != 0 { exit(status) }
  }

  /// Returns the exit status of a program.
  static func status(of program: URL, _ arguments: [String], in folder: URL) throws -> Int32 {
    let process = Process()
    process.executableURL = program
    process.currentDirectoryURL = folder
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
