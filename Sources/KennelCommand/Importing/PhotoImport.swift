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
    /// In a dry run: it would be taken.
    case fit(PhotoHash)
    case known
    case failed(Failure)
  }

  private static let atOnce = 3
  let store: KennelStore
  let author: User.ID
  let takesCaptions: Bool
  /// Whether all is looked at as it would be, and nothing posted.
  var isDry = false

  /// What is told of each file, in their order.
  enum Verdict: Sendable {
    case added
    case known
    case failed(Failure)
  }

  /// - Parameter tell: called for each file.
  func run(
    _ files: [PhotoFolder.File],
    tell: (_ done: Int, _ file: PhotoFolder.File, _ verdict: Verdict) async throws -> Void
  ) async throws -> Report {
    var report = Report()
    var fit: Set<PhotoHash> = []
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
          let verdict = try await finish(file, outcome, &fit)
          switch verdict {
          case .added: report.added += 1
          case .known: report.known += 1
          case .failed(let failure): report.failures.append((file.path, failure))
          }
          try await tell(ended, file, verdict)
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
        return .fit(hash)
      }
      let photo = try await store.photos.stage(fileAt: file.path)
      return .ready(photo, try await PhotoInspector.facts(ofFileAt: photo.path))
    } catch {
      return .failed(try Self.judged(error))
    }
  }

  private func finish(
    _ file: PhotoFolder.File, _ outcome: Outcome, _ fit: inout Set<PhotoHash>
  ) async throws -> Verdict {
    switch outcome {
    // The same photo may come twice in this very import.
    case .fit(let hash): return fit.insert(hash).inserted ? .added : .known
    case .known: return .known
    case .failed(let failure): return .failed(failure)
    case .ready(let photo, let facts):
      do {
        if try await store.posts.hasPhoto(photo.hash) { return .known }
        let caption = takesCaptions ? CaptionText.from(file.path) : ""
        _ = try await store.posts.add(
          photo, facts: facts, caption: caption, author: author, created: file.date)
        return .added
      } catch {
        return .failed(try Self.judged(error))
      }
    }
  }

  /// What is about one file is noted; what would befall all others as well ends the import.
  private static func judged(_ error: any Error) throws -> Failure {
    guard let error = error as? KennelError else { return Failure(error) }
    switch error.code {
    case .diskFull, .damaged, .closed, .cancelled, .noSuchUser: throw error
    default: return Failure(error)
    }
  }
}
