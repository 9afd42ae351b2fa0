import Foundation
import KennelStorage
import Synchronization

/// A move of a kennel that nobody else uses meanwhile.
struct KennelMove: Sendable {
  let directory: String
  let configuration: KennelStore.Configuration
  let place: RecordPlace
  let target: MoveTarget
  let identity: KennelIdentity
  let photos: PhotoDirectory
  let source: any Blobs
  let destination: (any Blobs)?
  let lock: FileLock
  private let counts: Counts
  private let workQueue = BlockingWorkQueue<Void>("moves", slots: 1, maximumWaitingCount: 4)

  /// What was done so far. Photos are copied at the same time.
  private final class Counts: Sendable {
    private let state = Mutex((progress: MoveProgress(), report: MoveReport()))
    private let show: @Sendable (MoveProgress) -> Void

    init(_ show: @escaping @Sendable (MoveProgress) -> Void) { self.show = show }

    var report: MoveReport { state.withLock { $0.report } }

    func expect(_ count: Int) { state.withLock { $0.progress.photoCount = count } }

    func add(_ photo: StoredPhoto, _ outcome: PhotoMove.Outcome) {
      show(
        state.withLock { state in
          state.progress.photos += 1
          switch outcome {
          case .copied: state.report.copiedPhotos += 1
          case .present: state.report.presentPhotos += 1
          case .missing:
            if state.report.missing.count < StoreReport.maximumProblemCount {
              state.report.missing.append(photo.hash)
            }
          }
          return state.progress
        })
    }

    func set(rows: Int) {
      show(
        state.withLock { state in
          (state.progress.rows, state.report.rows) = (rows, rows)
          return state.progress
        })
    }
  }

  init(
    directory: String, configuration: KennelStore.Configuration, place: RecordPlace, target: MoveTarget,
    identity: KennelIdentity, photos: PhotoDirectory, source: any Blobs, destination: (any Blobs)?,
    lock: FileLock, progress: @escaping @Sendable (MoveProgress) -> Void
  ) {
    (self.directory, self.configuration, self.place, self.target) = (directory, configuration, place, target)
    (self.identity, self.photos, self.source, self.destination) = (identity, photos, source, destination)
    (self.lock, counts) = (lock, Counts(progress))
  }

  func run() async throws(KennelError) -> MoveReport {
    // A target that cannot be used is refused before the photos are copied.
    if let records = target.records {
      try await workQueue.run { [directory, identity] () throws(KennelError) in
        _ = try records.target(in: directory, identity)
      }
    }
    try await copyPhotos()
    try await workQueue.runInterruptibly { isCancelled throws(KennelError) in try finish(isCancelled) }
    return counts.report
  }

  private var photoMove: PhotoMove? {
    destination.map { PhotoMove(directory: photos, source: source, target: $0) }
  }

  private func copyPhotos() async throws(KennelError) {
    guard let photoMove else { return }
    let records = try await workQueue.run { [directory, configuration] () throws(KennelError) in
      try KennelStore.openRecords(in: directory, configuration).records
    }
    let result: Result<Void, KennelError>
    do throws(KennelError) {
      counts.expect(try await records.read(StoredPhoto.count))
      var last: [UInt8] = []
      while true {
        let page = try await records.read { [last] connection throws(KennelError) in
          try StoredPhoto.page(after: last, connection)
        }
        guard let end = page.last else { break }
        last = end.hash.bytes
        try await photoMove.copy(page) { [counts] in counts.add($0, $1) }
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await records.close()
    try result.get()
  }

  /// Copies the records, and then switches to the new places. It blocks.
  private func finish(_ isCancelled: @escaping @Sendable () -> Bool) throws(KennelError) {
    let source = try place.source(in: directory)
    // Moves there and back may take less than a second.
    let moment = Date.ISO8601FormatStyle(timeSeparator: .omitted, includingFractionalSeconds: true)
    let suffix = MoveTarget.leftMark + Date().formatted(moment)
    var steps = target.photos?.steps(suffix) ?? []
    var records: (any RecordTarget)?
    if let place = target.records {
      let target = try place.target(in: directory, identity)
      try TableCopy(isCancelled: isCancelled, progress: { [counts] in counts.set(rows: $0) })
        .run(from: source.connection, to: target.connection) { connection throws(KennelError) in
          try SearchIndex.rebuild(connection)
        }
      try place.prepareSwitch(in: directory)
      steps += place.switchSteps(suffix: suffix)
      records = target
    }
    try verifyPhotos(source.connection)
    if isCancelled() { throw .cancelled }
    try records?.commit()
    source.prepareSwitch()
    try FileCalls.syncDirectory(photos.path)
    try FileSwitch.make(steps, in: directory)
    // These notes only protect from mistakes. The kennel has moved.
    guard let records else { return }
    try? source.finish()
    try? records.finish()
  }

  /// Compares the photos in the new place with the rows, and copies those that were added since by a process that does not use this
  /// directory.
  private func verifyPhotos(_ connection: any RecordConnection) throws(KennelError) {
    guard let photoMove else { return }
    let known = Set(counts.report.missing)
    var last: [UInt8] = []
    while true {
      let page = try StoredPhoto.page(after: last, connection)
      guard let end = page.last else { return }
      last = end.hash.bytes
      try BlockingCall.wait { [counts] () async throws(KennelError) in
        let missing = try await photoMove.target.missing(among: page).filter { !known.contains($0.hash) }
        if missing.isEmpty { return }
        try await photoMove.copy(missing) { counts.add($0, $1) }
      }
    }
  }
}

extension StoredPhoto {
  /// Returns the number of photos and of files with what was taken out of them.
  fileprivate static func count(_ connection: any RecordConnection) throws(KennelError) -> Int {
    try connection.first("SELECT (SELECT count(*) FROM photos) + (SELECT count(*) FROM parts)") {
      Int($0.integer(0))
    } ?? 0
  }

  /// Returns the next photos, with what was taken out of them, in the order of their hashes.
  fileprivate static func page(
    after last: [UInt8], _ connection: any RecordConnection
  ) throws(KennelError) -> [StoredPhoto] {
    try connection.rows(
      """
      SELECT hash, bytes FROM photos WHERE hash > ?1 UNION SELECT hash, bytes FROM parts WHERE hash > ?1
      ORDER BY 1 LIMIT 500
      """, .blob(last)
    ) { (hash: $0.blob(0), byteCount: Int($0.integer(1))) }
    .compactMap { row in PhotoHash(bytes: row.hash).map { StoredPhoto($0, byteCount: row.byteCount) } }
  }
}
