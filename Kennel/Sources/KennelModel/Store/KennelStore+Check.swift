import KennelStorage

extension KennelStore {
  /// Checks the consistency of a kennel. Nothing in its directory is created, changed or removed, except for copies of
  /// photos that are in a store, and other processes can use the kennel meanwhile.
  ///
  /// - Parameters:
  ///   - readsPhotos: whether to read all photos and verify their hashes, instead of comparing their sizes only.
  ///   - configuration: the configuration that the kennel is opened with.
  /// - Throws: `olderSchema`, `newerSchema` or `unfinished` for a kennel that must be opened with another version or for
  ///   writing first, or an error of the file system.
  package static func check(
    _ directory: String, readsPhotos: Bool = false, configuration: Configuration = Configuration()
  ) async throws(KennelError) -> StoreReport {
    try await StoreCheck.run(directory, readsPhotos: readsPhotos, configuration)
  }

  /// Checks the consistency of the store. Other readers and writers can continue meanwhile.
  ///
  /// - Parameters:
  ///   - readsPhotos: whether to read all photos and verify their hashes, instead of comparing their sizes only.
  ///   - repairs: whether to remove photos without a post, and to rebuild a wrong search index.
  package func check(
    readsPhotos: Bool = false, repairs: Bool = false
  ) async throws(KennelError) -> StoreReport {
    var report = try await StoreCheck.run(directory, readsPhotos: readsPhotos, configuration)
    if repairs { try await repair(&report) }
    return report
  }

  /// Repairs what can be repaired of the problems in a report, and takes it out of the report.
  private func repair(_ report: inout StoreReport) async throws(KennelError) {
    let orphans = report.problems.compactMap { problem in
      if case .orphan(let hash) = problem { hash } else { nil }
    }
    // The write transaction prevents changes by others. Posts may have been added since the check.
    report.removedCount = try await database.write { [blobs] transaction throws(KennelError) in
      var count = 0
      for hash in orphans where try !ChangeRecorder.isNeeded(hash, transaction.connection) {
        try blobs.remove(hash, in: transaction)
        count += 1
      }
      return count
    }
    let isSearchWrong = report.problems.contains(.search)
    if isSearchWrong {
      try await database.write { transaction throws(KennelError) in
        try SearchIndex.rebuild(transaction.connection)
        // Pages of searches are out of date.
        try ContentVersion.noteChangedNames(transaction.connection)
      }
      report.isSearchRebuilt = true
    }
    report.problems.removeAll { problem in
      if case .orphan = problem { true } else { problem == .search }
    }
  }

  /// Returns whether the search index has exactly the words of the posts.
  func isSearchCurrent() async throws(KennelError) -> Bool {
    try await StoreCheck.with(directory, configuration) {
      check async throws(KennelError) in
      try await check.isSearchCurrent()
    }
  }
}
