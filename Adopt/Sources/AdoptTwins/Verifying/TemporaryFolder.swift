import Foundation

/// A temporary folder for one verification.
struct TemporaryFolder {
  let path: String

  init() throws(VerifierError) {
    path = NSTemporaryDirectory() + "adopt-" + UUID().uuidString
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw VerifierError("Could not create the folder \(path): \(error.localizedDescription)")
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
