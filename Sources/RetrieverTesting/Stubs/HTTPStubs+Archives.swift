import Foundation
import Retriever

// HTTP archives (HAR 1.2).
extension HTTPStubs {
  /// Answers requests with the responses in an HTTP archive.
  ///
  /// Browsers, `retriever get --har` and ``record(_:)`` write such files. A request fits an entry with the same method
  /// and URL; if several have them, one with the same body comes first. Secrets that were removed from the archive count
  /// as equal. Bodies may be in base64. They are delivered decoded, so the fields `Content-Encoding`,
  /// `Transfer-Encoding` and `Content-Length` of the archive do not count.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - order: Whether the order of the requests counts.
  /// - Throws: ``StubsError`` if the file is not an archive, or an error of the file system.
  @discardableResult
  public func replay(_ file: URL, order: ReplayOrder = .loose) throws -> Stub {
    try replay(try Data(contentsOf: file), order: order, name: file.lastPathComponent)
  }

  /// Answers requests with the responses in an HTTP archive, as ``replay(_:order:)`` does.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - order: Whether the order of the requests counts.
  ///   - name: The name of the archive in messages.
  /// - Throws: ``StubsError`` if the data are not an archive.
  @discardableResult
  public func replay(
    _ archive: Data, order: ReplayOrder = .loose, name: String = "the archive"
  ) throws -> Stub {
    let exchanges = try ArchivedExchange.exchanges(in: archive, file: name)
    let script = ReplayScript(exchanges, order: order, name: name)
    return add(.any, .replay(script), name: name)
  }

  #if !canImport(Darwin)
  /// Sends the requests that match a pattern to the network, and records them with their responses.
  ///
  /// Write the recording with ``StubRecording/write(to:)``. Later, ``replay(_:order:)`` answers from the file. *Not
  /// available on Apple's platforms.*
  public func record(_ pattern: RequestPattern = .any) -> StubRecording {
    let recording = StubRecording()
    let answers = AnswerSequence([.passthrough], maximumCount: nil)
    _ = add(pattern, .sequence(answers), record: { recording.add($0) })
    return recording
  }
  #endif
}
