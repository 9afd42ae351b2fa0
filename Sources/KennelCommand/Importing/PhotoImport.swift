import KennelCore
import TerminalProgram

/// Takes files in: those that are there already are left out, so that it can be done again, and goes on where it was cut.
struct PhotoImport: Sendable {
  struct Report: Sendable {
    var added = 0
    var known = 0
    var failures: [(path: String, failure: Failure)] = []
  }

  private enum Outcome: Sendable {
    case ready(StagedPhoto, PhotoFacts)
    case known
    case failed(Failure)
  }

  private static let atOnce = 3
  let store: KennelStore
  let author: User.ID
  let takesCaptions: Bool

  /// - Parameter tell: called with each failure as it comes, and with how many files are done.
  func run(
    _ files: [PhotoFolder.File],
    tell: @escaping @Sendable (_ done: Int, _ failure: (String, Failure)?) -> Void
  ) async throws -> Report {
    var report = Report()
    try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      var (begun, ended) = (0, 0)
      var early: [Int: Outcome] = [:]
      func begin() {
        guard begun < files.count else { return }
        let (index, file) = (begun, files[begun])
        begun += 1
        group.addTask { (index, try await look(at: file)) }
      }
      for _ in 0..<Self.atOnce { begin() }
      while let (index, outcome) = try await group.next() {
        early[index] = outcome
        // Posts come in the order of the files.
        while let outcome = early.removeValue(forKey: ended) {
          let file = files[ended]
          ended += 1
          let failure = try await finish(file, outcome, &report)
          tell(ended, failure.map { (file.path, $0) })
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
      if try await store.photos.holds(hash, byteCount: file.byteCount) { return .known }
      let photo = try await store.photos.stage(fileAt: file.path)
      return .ready(photo, try await PhotoInspector.facts(ofFileAt: photo.path))
    } catch {
      return try Self.judged(error)
    }
  }

  private func finish(
    _ file: PhotoFolder.File, _ outcome: Outcome, _ report: inout Report
  ) async throws -> Failure? {
    var outcome = outcome
    if case .ready(let photo, let facts) = outcome {
      // The same photo may have come twice in this very import.
      if try await store.photos.holds(photo.hash, byteCount: photo.byteCount) {
        outcome = .known
      } else {
        do {
          let caption = takesCaptions ? CaptionText.from(file.path) : ""
          _ = try await store.posts.add(
            photo, facts: facts, caption: caption, author: author, created: file.date)
        } catch {
          outcome = try Self.judged(error)
        }
      }
    }
    switch outcome {
    case .ready: report.added += 1
    case .known: report.known += 1
    case .failed(let failure):
      report.failures.append((file.path, failure))
      return failure
    }
    return nil
  }

  /// What is about one file is noted; what would befall all others as well ends the import.
  private static func judged(_ error: any Error) throws -> Outcome {
    guard let error = error as? KennelError else { return .failed(Failure(error)) }
    switch error.code {
    case .diskFull, .damaged, .closed, .cancelled, .noSuchUser: throw error
    default: return .failed(Failure(error))
    }
  }
}
