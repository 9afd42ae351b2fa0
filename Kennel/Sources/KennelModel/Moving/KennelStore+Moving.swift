import KennelStorage

extension KennelStore {
  /// Moves the records and photos of a kennel to another place, with its identity.
  ///
  /// First the photos are copied, then the records, and all is verified. The kennel then uses the copies from one moment to the next.
  /// Until then, it stays as it is. If the process ends before, the next call goes on, and does not copy photos again.
  /// The earlier files stay in the directory under other names.
  ///
  /// - Throws: `busy` if the kennel is in use; `notAllowed` if it is in that place already, or if the place is not empty.
  package static func move(
    _ directory: String, to target: MoveTarget, configuration: Configuration = Configuration(),
    progress: @escaping @Sendable (MoveProgress) -> Void = { _ in }
  ) async throws(KennelError) -> MoveReport {
    try FileSwitch.complete(in: directory)
    let place = try RecordPlace(of: directory, address: configuration.databaseAddress)
    if let records = target.records, records.isSameKind(as: place) {
      throw KennelError(
        .notAllowed, "The records of the kennel are already in a database of this kind. Choose another place."
      )
    }
    // Brings an earlier version up to date, and cleans up after killed processes.
    let store = try await open(directory, configuration: configuration)
    let state: Result<(KennelLineage, Int), KennelError>
    do throws(KennelError) {
      state = .success((try await store.lineage(), try await store.database.read(Uploads.unfinishedCount)))
    } catch {
      state = .failure(error)
    }
    await store.close()
    let (lineage, unfinishedUploads) = try state.get()

    let photos = try PhotoDirectory(
      path: directory + "/photos", limits: FileLimits(photo: configuration.maximumPhotoSize))
    let move: KennelMove
    do throws(KennelError) {
      guard let lock = try photos.beginMove() else {
        throw KennelError(
          .busy,
          "The kennel in \(directory) is in use. Stop its server and all other commands, and run kennel move again."
        )
      }
      move = KennelMove(
        directory: directory, configuration: configuration, place: place, target: target,
        identity: lineage.identity, photos: photos, source: try configuration.blobs(photos),
        destination: try target.photos?.blobs(photos), lock: lock, progress: progress)
    } catch {
      await photos.workQueue.close()
      throw error
    }
    let result: Result<MoveReport, KennelError>
    do throws(KennelError) { result = .success(try await move.run()) } catch { result = .failure(error) }
    await photos.workQueue.close()
    move.lock.release()
    var report = try result.get()
    report.unfinishedUploads = unfinishedUploads
    return report
  }
}
