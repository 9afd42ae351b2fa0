import Foundation
import Retriever
import Synchronization

// Loads the bytes of images from the disk cache, or from the network with retries.
extension PipelineCore {
  func lookUp(_ job: JobID) async {
    guard let work = state.withLock({ $0.works[job] }) else { return }
    var plan = ImageFetch.Plan(
      request: work.request, resource: work.resource, limits: configuration.limits,
      defaultLifetime: configuration.defaultLifetime)
    guard let disk = disk(for: work.request) else {
      return work.cachePolicy == .onlyCached ? failNotCached(job, work) : fetchNext(job, plan, disk: nil)
    }
    guard work.cachePolicy != .reload else { return fetchNext(job, plan, disk: disk) }
    let usesParts = work.cachePolicy == .use
    switch await disk.lookUp(work.resource, maximumPartBytes: usesParts ? configuration.limits.bytes : 0) {
    case .complete(let entry):
      let now = now()
      if work.cachePolicy == .onlyCached || (!work.isRefresh && entry.freshness.staleUntil > now) {
        if work.cachePolicy == .use, entry.freshness.freshUntil <= now { startRefresh(work) }
        return perform { state in
          state.works[job]?.entry = entry
          return state.effects(of: state.machine.lookUpEnded(job, .stored))
        }
      }
      if entry.canBeConfirmed { plan.confirming = entry }
      fetchNext(job, plan, disk: disk)
    case .part(let entry, let bytes, let writer):
      plan.part = (entry, bytes, writer)
      fetchNext(job, plan, disk: disk)
    case .nothing:
      work.cachePolicy == .onlyCached ? failNotCached(job, work) : fetchNext(job, plan, disk: disk)
    }
  }

  func disk(for request: URLRequest) -> DiskCache? {
    RequestPlan.isStorable(request, by: sessionConfiguration) ? disk : nil
  }

  private func startRefresh(_ work: JobWork) {
    guard let plan = try? RequestPlan(ImageRequest(work.request, target: nil), configuration) else { return }
    refresh(plan)
  }

  private func fetchNext(_ job: JobID, _ plan: ImageFetch.Plan, disk: DiskCache?) {
    let fetch = ImageFetch(plan, session: session, disk: disk, now: now)
    var unwanted: ImageFetch? = fetch
    perform { state in
      guard let work = state.works[job] else { return [] }
      if work.isSuperseded { fetch.supersede() }
      // The fetch of an earlier lookup, which nobody uses anymore.
      unwanted = work.fetch
      state.works[job]?.fetch = fetch
      return state.effects(of: state.machine.lookUpEnded(job, .missing))
    }
    unwanted?.end(isBroken: false)
  }

  private func failNotCached(_ job: JobID, _ work: JobWork) {
    let error = URLError(
      .resourceUnavailable, message: "The image is not in the cache, and fetching is not allowed.",
      url: work.request.url)
    perform { state in state.effects(of: state.machine.bytesFailed(job), error: error) }
  }

  func fetch(_ job: JobID) async {
    guard let work = state.withLock({ $0.works[job] }) else { return }
    guard let fetch = work.fetch ?? makeReplacementFetch(job, work) else { return }
    switch await fetch.run({ report($0, of: job, work) }) {
    case .completed:
      perform { state in
        if work.isRefresh, state.works[job]?.isSuperseded != true { memory.remove(work.resource) }
        return state.effects(of: state.machine.fetchEnded(job))
      }
    case .confirmed(let entry, let version):
      perform { state in
        // The server has confirmed the version before the reload.
        if state.works[job]?.isSuperseded != true { memory.renew(work.resource, version, by: entry) }
        state.works[job]?.fetch = nil
        state.works[job]?.entry = entry
        return state.effects(of: state.machine.fetchEnded(job, isStored: true))
      }
    case .failed(let error, let mayRetry, let retryAfter):
      perform { state in
        state.works[job]?.retryAfter = retryAfter
        let actions = state.machine.fetchFailed(
          job, mayRetry: mayRetry && retryPolicy.allows(retryAfter: retryAfter))
        return state.effects(of: actions, error: error)
      }
    }
  }

  /// Returns a new fetch after the stored bytes turned out to be damaged. There is nothing to revalidate then.
  private func makeReplacementFetch(_ job: JobID, _ work: JobWork) -> ImageFetch? {
    let plan = ImageFetch.Plan(
      request: work.request, resource: work.resource, limits: configuration.limits,
      defaultLifetime: configuration.defaultLifetime)
    let fetch = ImageFetch(plan, session: session, disk: disk(for: work.request), now: now)
    return state.withLock { state in
      guard let work = state.works[job] else { return nil }
      if work.isSuperseded { fetch.supersede() }
      state.works[job]?.fetch = fetch
      return fetch
    }
  }

  func backOff(_ job: JobID, attempt: Int) async {
    let retryAfter = state.withLock { $0.works[job]?.retryAfter }
    let delay = retryPolicy.delay(
      attempt: attempt, retryAfter: retryAfter, jitter: Double.random(in: 0...1))
    do {
      try await clock.sleep(for: delay)
    } catch {
      // Cancelled: the job is over.
      return
    }
    perform { state in state.effects(of: state.machine.backOffElapsed(job)) }
  }

  private func report(_ report: ImageFetch.Report, of job: JobID, _ work: JobWork) {
    switch report {
    case .responded:
      guard work.cachePolicy == .reload else { return }
      for fetch in state.withLock({ $0.supersedeOthers(by: job) }) { fetch.supersede() }
    case .began(let entry):
      perform { state in
        // Thumbnails of an earlier version must not be mixed with this one.
        if !work.isRefresh, state.works[job]?.isSuperseded != true { memory.remove(work.resource) }
        state.works[job]?.entry = entry
        return state.effects(of: state.machine.bytesBegan(job))
      }
    case .restarted:
      perform { state in state.effects(of: state.machine.bytesRestarted(job)) }
    case .progress(let progress):
      guard state.withLock({ $0.observers > 0 }) else { return }
      perform { state in
        let observers = state.observers(of: job)
        return observers.isEmpty ? [] : [.update(observers, .progress(progress))]
      }
    }
  }
}
