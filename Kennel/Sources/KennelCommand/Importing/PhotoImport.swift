import KennelModel
import KennelStorage
import TerminalProgram

/// Posts the photos in files. It skips photos that were already posted, so an interrupted import continues when it is
/// run again.
struct PhotoImport: Sendable {
  struct Report: Sendable {
    var added = 0
    var known = 0
    var failures: [(path: String, failure: Failure)] = []
  }

  private enum Outcome: Sendable {
    case ready(NewPhoto, TakenTime?)
    /// In a dry run: the photo would be posted.
    case postable(PhotoHash)
    case known
    case failed(Failure)
  }

  private static let concurrentCount = 3
  let store: KennelStore
  let author: User.ID
  let takesCaptions: Bool
  /// Whether to check all files without posting them.
  var isDry = false

  /// The result for one file. The results are reported in the order of the files.
  enum FileResult: Sendable {
    case added
    case known
    case failed(Failure)
  }

  /// Imports the files.
  ///
  /// - Parameter onResult: called with the result for each file.
  func run(
    _ files: [PhotoFolder.File],
    onResult: (_ done: Int, _ file: PhotoFolder.File, _ result: FileResult) async throws -> Void
  ) async throws -> Report {
    var report = Report()
    var postable: Set<PhotoHash> = []
    try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      var (begun, ended) = (0, 0)
      var early: [Int: Outcome] = [:]
      func begin() {
        guard begun < files.count else { return }
        let (index, file) = (begun, files[begun])
        begun += 1
        group.addTask { (index, try await look(at: file)) }
      }
      for _ in 0..<Self.concurrentCount { begin() }
      while let (index, outcome) = try await group.next() {
        early[index] = outcome
        // Post in the order of the files.
        while let outcome = early.removeValue(forKey: ended) {
          let file = files[ended]
          ended += 1
          let result = try await finish(file, outcome, &postable)
          switch result {
          case .added: report.added += 1
          case .known: report.known += 1
          case .failed(let failure): report.failures.append((file.path, failure))
          }
          try await onResult(ended, file, result)
          begin()
        }
      }
    }
    return report
  }

  private func look(at file: PhotoFolder.File) async throws -> Outcome {
    try Task.checkCancellation()
    do {
      let hash = try await store.photos.hash(ofFileAt: file.path)
      if try await store.posts.hasPhoto(hash) { return .known }
      if isDry {
        _ = try await PhotoInspector.facts(ofFileAt: file.path)
        return .postable(hash)
      }
      let photo = try await store.photos.stage(fileAt: file.path)
      let taken = await store.posts.captureTime(ofFileAt: photo.path, fileDate: file.date)
      return .ready(try await NewPhoto.examining(photo, in: store.photos), taken)
    } catch {
      return .failed(try Self.failure(for: error))
    }
  }

  private func finish(
    _ file: PhotoFolder.File, _ outcome: Outcome, _ postable: inout Set<PhotoHash>
  ) async throws -> FileResult {
    switch outcome {
    // The same photo may occur twice in one import.
    case .postable(let hash): return postable.insert(hash).inserted ? .added : .known
    case .known: return .known
    case .failed(let failure): return .failed(failure)
    case .ready(let photo, let taken):
      do {
        if try await store.posts.hasPhoto(photo.uploadedHash) { return .known }
        let caption = takesCaptions ? CaptionText.from(file.path) : ""
        _ = try await store.posts.add(
          photo, caption: caption, author: author, taken: taken, ignoresQuota: true)
        return .added
      } catch {
        return .failed(try Self.failure(for: error))
      }
    }
  }

  /// Returns the failure of one file. Throws errors that would affect all other files too, to end the import.
  private static func failure(for error: any Error) throws -> Failure {
    guard let error = error as? KennelError else { return Failure(error) }
    switch error.code {
    case .diskFull, .damaged, .closed, .cancelled, .noSuchUser: throw error
    default: return Failure(error)
    }
  }
}
