import Foundation
import KennelModel
import TerminalProgram

/// The token for another kennel: in a file, or in the environment. It is never an argument, because other users of the
/// machine can read those.
enum PeerTokenFile {
  static let variable = KennelVariables.peerToken
  private static let maximumSize = 4096

  /// Returns the token for the kennels in the arguments, or nil if none is given.
  ///
  /// - Throws: an error if there are several kennels: the token of one must not be sent to another.
  static func token(_ context: CommandContext) throws -> PeerToken? {
    let (text, place): (String, String)
    if let path = context.arguments.value("token-file") {
      (text, place) = (try contents(of: path), "The file \(path)")
    } else if let value = context.environment[variable], !value.isEmpty {
      (text, place) = (value, variable)
    } else {
      return nil
    }
    guard context.arguments.operands.count == 1 else {
      throw UsageError("A token belongs to one kennel. Run kennel sync with one URL for each token.")
    }
    guard let token = PeerToken(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw UsageError(
        "\(place) does not contain a token of a kennel. Ask the owner of the other kennel to run kennel peer add NAME."
      )
    }
    return token
  }

  private static func contents(of path: String) throws -> String {
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? file.close() }
      return String(decoding: try file.read(upToCount: maximumSize) ?? Data(), as: UTF8.self)
    } catch {
      throw Failure(
        .fileSystem, "Could not read the token file \(path). Check the path and its permissions.")
    }
  }
}
