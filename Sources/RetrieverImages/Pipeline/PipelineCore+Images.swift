import Foundation
import Retriever
import Synchronization

// Making images of bytes, and small ones of larger ones.
extension PipelineCore {
  private static var mostPreviews: Int { 3 }

  func decode(_ pass: PassID, of job: JobID, _ forms: [ImageForm], followsFetch: Bool) async {
    guard let work = state.withLock({ $0.works[job] }) else { return }
    do {
      let maker: any ThumbnailMaking
      if let fetch = work.fetch, followsFetch || fetch.bytes.isWhole {
        let store = fetch.bytes
        let byteCount = store.isWhole ? store.count : fetch.expectedBytes
        maker = makers.begin(forms, limits: configuration.limits, byteCount: byteCount)
        try await feed(
          store, to: maker, of: job, previewsFor: followsFetch ? pass : nil,
          fetch.expectedBytes.map { $0 / 8 } ?? 16 << 10)
      } else if let (_, data) = await disk?.read(work.resource) {
        maker = makers.begin(forms, limits: configuration.limits, byteCount: data.count)
        try await maker.feed(data, priority: priority(of: job))
      } else {
        return storedBytesAreGone(job, work)
      }
      finish(pass, of: job, Array(zip(forms, try await maker.finish(priority: priority(of: job)))))
    } catch {
      fail(pass, of: job, error, isBytes: true)
    }
  }

  /// Damaged, or removed meanwhile: they are fetched, unless that was forbidden.
  private func storedBytesAreGone(_ job: JobID, _ work: JobWork) {
    let error = URLError(
      .resourceUnavailable, sentence: "The cached image was damaged, and was not to be fetched.",
      url: work.request.url)
    perform { state in
      let actions =
        work.cachePolicy == .onlyCached ? state.machine.bytesFailed(job) : state.machine.bytesLost(job)
      return state.effects(of: actions, error: error)
    }
  }

  /// Feeds what is there and what comes, and shows something of it now and then.
  private func feed(
    _ store: ByteStore, to maker: any ThumbnailMaking, of job: JobID, previewsFor pass: PassID?,
    _ firstPreview: Int
  ) async throws(ImageError) {
    var index = 0
    var fed = 0
    var previews = 0
    var nextPreview = firstPreview
    while let piece = try await store.piece(index) {
      try await maker.feed(piece, priority: priority(of: job))
      index += 1
      fed += piece.count
      // Only while there is nothing better to do: the image itself must never wait for its preview.
      guard let pass, previews < Self.mostPreviews, fed >= nextPreview, !store.has(index) else { continue }
      let observers = observers(of: pass)
      // A preview that cannot be made is no failure of the image.
      guard !observers.isEmpty, let preview = try? await maker.preview(priority: priority(of: job)) else {
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
        state.tickets[pass] = nil
        return state.effects(of: state.machine.sourceLost(pass))
      }
    }
    do {
      var images: [(ImageForm, UIImage)] = []
      for form in forms {
        images.append((form, try await makers.derive(form, from: image, priority: priority(of: job))))
      }
      finish(pass, of: job, images, freshness: cached?.freshness)
    } catch {
      fail(pass, of: job, error, isBytes: false)
    }
  }

  private func finish(
    _ pass: PassID, of job: JobID, _ images: [(ImageForm, UIImage)], freshness: Freshness? = nil
  ) {
    perform { state in
      guard state.machine.passes[pass] != nil else { return [] }
      state.tickets[pass] = nil
      let freshness = freshness ?? state.works[job]?.freshness ?? .never
      for (form, image) in images {
        state.works[job]?.images[form] = image
        if freshness.isStorable, let resource = state.works[job]?.resource {
          memory.insert(image, resource, form, freshness)
        }
      }
      return state.effects(of: state.machine.passEnded(pass))
    }
  }

  private func fail(_ pass: PassID, of job: JobID, _ error: ImageError, isBytes: Bool) {
    let isBroken = isBytes && ![.cancelled, .outOfMemory, .invalidRequest].contains(error.code)
    var resource: ImageResource?
    perform { state in
      guard state.machine.passes[pass] != nil else { return [] }
      state.tickets[pass] = nil
      if isBroken {
        state.works[job]?.isBroken = true
        resource = state.works[job]?.resource
      }
      return state.effects(of: state.machine.passFailed(pass), error: error)
    }
    if let resource { disk?.remove(resource) }
  }

  private func priority(of job: JobID) -> WorkPriority {
    state.withLock { $0.machine.jobs[job]?.interest.urgency.workPriority ?? .normal }
  }

  /// Those who wait for something that this pass makes.
  private func observers(of pass: PassID) -> [LoadState] {
    state.withLock { state in
      guard state.observers > 0, let waiters = state.machine.passes[pass]?.waiters.values else { return [] }
      return waiters.flatMap { $0 }.compactMap { state.loads[$0] }.filter(\.wantsUpdates)
    }
  }
}
