import AdoptAnalysis

/// Checks files again that can only be checked together with others: those that use type aliases of other files for
/// handlers, and those with a type that stores continuations and has extensions in other files.
struct LinkedCheck {
  let options: CheckOptions
  let jobs: Int

  /// Returns the files with all findings, and the options for checking one of them alone.
  ///
  /// - Parameter others: Files that only help to check the first ones.
  func link(
    _ files: [CheckedFile], with others: [CheckedFile]
  ) async throws(CancellationError) -> ([CheckedFile], CheckOptions) {
    let (linked, options) = try await linked(files + others)
    return (Array(linked.prefix(files.count)), options)
  }

  private func linked(_ files: [CheckedFile]) async throws(CancellationError) -> ([CheckedFile], CheckOptions)
  {
    let links = FileLinks(files.filter { $0.path != "-" }.compactMap(\.result.summary))
    var options = options
    options.aliases = links.aliases
    guard !links.links.isEmpty else { return (files, options) }
    let results = try await Workers.map(links.links, jobs: jobs) { [options] link in
      CheckedFile.checking(link, options: options)
    }
    var files = files
    let index = Dictionary(files.indices.map { (files[$0].path, $0) }) { first, _ in first }
    for (link, result) in zip(links.links, results) {
      guard let own = result?.first, let position = index[link.path] else { continue }
      let syntaxError = files[position].syntaxError
      files[position] = own
      files[position].syntaxError = syntaxError
    }
    for other in results.lazy.compactMap(\.self).flatMap({ $0.dropFirst() }) {
      if let position = index[other.path] { files[position].add(other) }
    }
    return (files, options)
  }
}
