import Foundation
import Retriever
import Synchronization

// Makes images from bytes, and small images from larger ones.
extension PipelineCore {
  private static var maximumPreviews: Int { 3 }

  /// Decodes an image for a pass.
  ///
  /// - Parameter orientation: The orientation, if the image was decoded before to find it.
  func decode(
    _ pass: PassID, of job: JobID, _ forms: [ImageForm], followsFetch: Bool,
    orientation: ImageOrientation? = nil
  ) async {
    guard let work = state.withLock({ $0.works[job] }) else { return }
    do {
      let worker: any ThumbnailWorker
      if let fetch = work.fetch, followsFetch || fetch.bytes.isComplete {
        let store = fetch.bytes
        worker = makeWorker(forms, orientation)
        try await feed(
          store, to: worker, of: job, previewsFor: followsFetch && orientation == nil ? pass : nil,
          fetch.expectedBytes.map { $0 / 8 } ?? 16 << 10)
      } else if let (_, data) = await disk?.read(work.resource) {
        worker = makeWorker(forms, orientation)
        try await worker.feed(data, priority: priority(of: job))
      } else {
        return handleLostStoredBytes(job, work)
      }
      switch try await worker.finish(priority: priority(of: job)) {
      case .images(let results): finish(pass, of: job, Array(zip(forms, results)))
      case .needsOrientation(let found):
        await decode(pass, of: job, forms, followsFetch: followsFetch, orientation: found)
      }
    } catch {
      fail(pass, of: job, error, isBytes: true)
    }
  }

  private func makeWorker(_ forms: [ImageForm], _ orientation: ImageOrientation?) -> any ThumbnailWorker {
    workerFactory.makeWorker(forms, limits: configuration.limits, orientation: orientation)
  }

  /// Handles stored bytes that are damaged or were removed: fetches the image, unless the request does not allow it.
  private func handleLostStoredBytes(_ job: JobID, _ work: JobWork) {
    let error = URLError(
      .resourceUnavailable, message: "The cached image was damaged, and fetching is not allowed.",
      url: work.request.url)
    perform { state in
      let actions =
        work.cachePolicy == .onlyCached ? state.machine.bytesFailed(job) : state.machine.bytesLost(job)
      return state.effects(of: actions, error: error)
    }
  }

  /// Feeds the available bytes and those that arrive, and makes previews now and then.
  private func feed(
    _ store: ByteStore, to worker: any ThumbnailWorker, of job: JobID, previewsFor pass: PassID?,
    _ firstPreview: Int
  ) async throws(ImageError) {
    var index = 0
    var fed = 0
    var previews = 0
    var nextPreview = firstPreview
    while let piece = try await store.piece(index) {
      try await worker.feed(piece, priority: priority(of: job))
      index += 1
      fed += piece.count
      // Previews are made only while no bytes wait: the image itself must never wait for its preview.
      guard let pass, previews < Self.maximumPreviews, fed >= nextPreview, !store.has(index) else { continue }
      let observers = observers(of: pass)
      // If a preview fails, the image does not fail.
      guard !observers.isEmpty, let preview = try? await worker.preview(priority: priority(of: job)) else {
        continue
      }
      previews += 1
      nextPreview = fed * 2
      perform { _ in [.update(observers, .preview(preview))] }
    }
  }

  func derive(
    _ pass: PassID, of job: JobID, _ forms: [ImageForm], from source: ImageForm, isCached: Bool
  ) async {
    guard let work = state.withLock({ $0.works[job] }) else { return }
    let cached = isCached ? memory.entry(work.resource, source) : nil
    guard let image = cached?.image ?? (isCached ? nil : work.images[source]) else {
      return perform { state in
        state.tasks[pass] = nil
        return state.effects(of: state.machine.sourceLost(pass))
      }
    }
    do {
      var results: [(ImageForm, Result<UIImage, ImageError>)] = []
      for form in forms {
        results.append((form, try await derive(form, from: image, of: job)))
      }
      finish(pass, of: job, results, from: cached)
    } catch {
      fail(pass, of: job, error, isBytes: false)
    }
  }

  /// Makes a thumbnail from an image. The result is a failure if the image cannot have this thumbnail.
  private func derive(
    _ form: ImageForm, from image: UIImage, of job: JobID
  ) async throws(ImageError) -> Result<UIImage, ImageError> {
    do {
      return .success(try await workerFactory.derive(form, from: image, priority: priority(of: job)))
    } catch {
      guard error.code == .invalidRequest else { throw error }
      return .failure(error)
    }
  }

  private func finish(
    _ pass: PassID, of job: JobID, _ results: [(ImageForm, Result<UIImage, ImageError>)],
    from cached: MemoryCache.Entry? = nil
  ) {
    let images = results.compactMap { form, result in (try? result.get()).map { (form, $0) } }
    // The server may have sent an image that was still being written, so an incomplete image is fetched again.
    let isIncomplete = images.contains { $0.1.damage.contains { $0.kind == .incomplete } }
    var incomplete: ImageResource?
    perform { state in
      guard state.machine.passes[pass] != nil else { return [] }
      state.tasks[pass] = nil
      let isSuperseded = state.works[job]?.isSuperseded == true
      if isIncomplete {
        state.works[job]?.isBroken = true
        if !isSuperseded { incomplete = state.works[job]?.resource }
      }
      let entry = state.works[job]?.entry
      let freshness = cached?.freshness ?? entry?.freshness ?? .never
      let version = cached == nil ? entry?.version : cached?.version
      for (form, image) in images {
        state.works[job]?.images[form] = image
        if freshness.isStorable, !isIncomplete, !isSuperseded, let resource = state.works[job]?.resource {
          memory.insert(MemoryCache.Entry(image, freshness, version), resource, form)
        }
      }
      var effects: [Effect] = []
      for case (let form, .failure(let error)) in results {
        effects += state.effects(of: state.machine.targetFailed(pass, form), error: error)
      }
      return effects + state.effects(of: state.machine.passEnded(pass))
    }
    if let incomplete { disk?.remove(incomplete) }
  }

  private func fail(_ pass: PassID, of job: JobID, _ error: ImageError, isBytes: Bool) {
    let isBroken = isBytes && ![.cancelled, .outOfMemory, .invalidRequest].contains(error.code)
    var resource: ImageResource?
    perform { state in
      guard state.machine.passes[pass] != nil else { return [] }
      state.tasks[pass] = nil
      if isBroken {
        state.works[job]?.isBroken = true
        if state.works[job]?.isSuperseded != true { resource = state.works[job]?.resource }
      }
      return state.effects(of: state.machine.passFailed(pass), error: error)
    }
    if let resource { disk?.remove(resource) }
  }

  private func priority(of job: JobID) -> WorkPriority {
    state.withLock { $0.machine.jobs[job]?.interest.urgency.workPriority ?? .normal }
  }

  /// Returns the loads that observe a thumbnail of this pass.
  private func observers(of pass: PassID) -> [LoadState] {
    state.withLock { state in
      guard state.observers > 0, let waiters = state.machine.passes[pass]?.waiters.values else { return [] }
      return waiters.flatMap { $0 }.compactMap { state.loads[$0] }.filter(\.wantsUpdates)
    }
  }
}
