import Foundation
import Retriever
import Synchronization
import Waiting

/// Drives the state machine: locks, sends it an event, unlocks, then performs the actions that it returns.
///
/// All effects are performed in the order of the events, by one thread at a time. Therefore a job is never stopped before it
/// was started.
final class PipelineCore: Sendable {
  /// The data of a job that is not part of the state machine.
  struct JobWork: Sendable {
    let request: URLRequest
    let resource: ImageResource
    let cachePolicy: ImageRequest.CachePolicy
    let isRefresh: Bool
    /// Set while the bytes are fetched.
    var fetch: ImageFetch?
    /// What the server stated about the bytes.
    var entry: CacheEntry?
    /// The finished images, for late requests and for thumbnails that are made from them.
    var images: [ImageForm: UIImage] = [:]
    var task: CancellableTask?
    /// The pause that the server asked for in its last error response.
    var retryAfter: Duration?
    /// True if the image could not be decoded, so that its bytes are not worth keeping.
    var isBroken = false
    /// Set after the server has sent the response to a request with the policy `reload`.
    var isReloading = false
    /// True if a reload has begun since this job began. Its image may be older, so it is returned but not stored.
    var isSuperseded = false
  }

  struct State: Sendable {
    var machine: PipelineStateMachine
    var loads: [WaiterID: LoadState] = [:]
    var works: [JobID: JobWork] = [:]
    var tasks: [PassID: CancellableTask] = [:]
    var prefetches = PrefetchList()
    /// The number of loads that want updates. It is usually 0, which saves searching for them.
    var observers = 0
    var lastWaiter = 0
    var turns = Turns<Effect>()
  }

  enum Effect: Sendable {
    case act(PipelineStateMachine.Action)
    case answer([LoadState], Result<UIImage, any Error>)
    case update([LoadState], ImageUpdate)
  }

  let configuration: ImagePipeline.Configuration
  let workerFactory: any ThumbnailWorkerFactory
  let clock: any Clock<Duration>
  let now: @Sendable () -> Date
  let sessionConfiguration: URLSessionConfiguration
  let session: URLSession
  let memory: MemoryCache
  let disk: DiskCache?
  let retryPolicy = RetryPolicy()
  let state: Mutex<State>

  init(
    _ configuration: ImagePipeline.Configuration, workerFactory: any ThumbnailWorkerFactory,
    clock: any Clock<Duration>,
    now: @escaping @Sendable () -> Date
  ) {
    self.configuration = configuration
    self.workerFactory = workerFactory
    self.clock = clock
    self.now = now
    sessionConfiguration = configuration.sessionConfiguration
    session = URLSession(configuration: sessionConfiguration, delegate: configuration.sessionDelegate)
    memory = MemoryCache(limit: configuration.memoryCacheLimit)
    disk = configuration.diskCache.flatMap { DiskCache($0, now: now) }
    state = Mutex(State(machine: PipelineStateMachine(configuration.machineOptions)))
  }

  deinit { session.finishTasksAndInvalidate() }

  // MARK: Loads

  /// Starts a load, unless it can be answered immediately.
  func start(_ load: LoadState, _ request: ImageRequest) {
    let plan: RequestPlan
    do {
      plan = try RequestPlan(request, configuration)
    } catch {
      return load.finish(.failure(error))
    }
    let now = now()
    var hit: MemoryCache.Entry?
    perform { state in
      guard !load.isFinished else { return [] }
      hit = cachedEntry(plan, request.cachePolicy, now)
      guard hit == nil else { return [] }
      return add(load, plan, request, now, &state)
    }
    guard let hit else { return }
    if hit.freshness.freshUntil <= now, request.cachePolicy == .use { refresh(plan) }
    load.finish(.success(hit.image))
  }

  /// Cancels a load. If it has no result yet, its result is a cancellation error.
  func cancel(_ load: LoadState) {
    guard !load.isFinished else { return }
    load.finish(.failure(ImageError.cancelled))
    perform { state in
      // Without an identifier, the load has not started, and will not.
      guard let waiter = load.waiter, state.takeLoad(waiter) != nil else { return [] }
      return state.machine.cancel(waiter).actions.map { .act($0) }
    }
  }

  func setPriority(_ priority: WorkPriority, of load: LoadState) {
    load.priority = priority
    perform { state in
      guard let waiter = load.waiter, state.loads[waiter] != nil else { return [] }
      return state.effects(of: state.machine.setUrgency(load.urgency, of: waiter))
    }
  }

  func prefetch(_ request: ImageRequest) {
    let load = LoadState(priority: request.priority, isPrefetch: true)
    let (isNew, pushedOut) = state.withLock { $0.prefetches.add(request, load) }
    if let pushedOut { cancel(pushedOut) }
    if isNew { start(load, request) }
    // The load was answered immediately.
    if load.isFinished { state.withLock { $0.prefetches.remove(load) } }
  }

  func cancelPrefetch(_ request: ImageRequest) {
    if let load = state.withLock({ $0.prefetches.remove(request) }) { cancel(load) }
  }

  func cancelAllPrefetches() {
    for load in state.withLock({ $0.prefetches.removeAll() }) { cancel(load) }
  }

  /// Fetches a stale image again, with the lowest priority. If the bytes are not stored, the thumbnail in memory is made again.
  func refresh(_ plan: RequestPlan) {
    let isStored = disk(for: plan.request) != nil
    perform { state in
      let key = JobKey(resource: plan.resource, cachePolicy: .use, purpose: isStored ? .refresh : .thumbnails)
      guard state.machine.jobsByKey[key] == nil else { return [] }
      let demand = PipelineStateMachine.Demand(
        key: key, host: plan.host, target: isStored ? nil : plan.form,
        urgency: Urgency(.veryLow, isPrefetch: true))
      return state.add(state.nextWaiter(), demand, plan, .use)
    }
  }

  private func cachedEntry(
    _ plan: RequestPlan, _ policy: ImageRequest.CachePolicy, _ now: Date
  ) -> MemoryCache.Entry? {
    guard policy != .reload, let entry = memory.entry(plan.resource, plan.form) else { return nil }
    return policy == .onlyCached || entry.freshness.staleUntil > now ? entry : nil
  }

  private func add(
    _ load: LoadState, _ plan: RequestPlan, _ request: ImageRequest, _ now: Date, _ state: inout State
  ) -> [Effect] {
    let larger =
      request.cachePolicy == .reload
      ? nil
      : memory.source(for: plan.form, of: plan.resource) {
        request.cachePolicy == .onlyCached || $0.freshUntil > now
      }
    let waiter = state.nextWaiter()
    load.waiter = waiter
    state.loads[waiter] = load
    if load.wantsUpdates { state.observers += 1 }
    let demand = PipelineStateMachine.Demand(
      key: JobKey(resource: plan.resource, cachePolicy: request.cachePolicy), host: plan.host,
      target: plan.form, urgency: load.urgency, cached: larger)
    return state.add(waiter, demand, plan, request.cachePolicy)
  }

  // MARK: Effects

  /// Changes the state, then performs the effects of the change.
  func perform(_ change: (inout State) -> [Effect]) {
    let isOurTurn = state.withLock { state in
      let effects = change(&state)
      return state.turns.add(effects)
    }
    guard isOurTurn else { return }
    while let effect = state.withLock({ $0.turns.next() }) { run(effect) }
  }

  private func run(_ effect: Effect) {
    switch effect {
    case .answer(let loads, let result):
      for load in loads { load.finish(result) }
    case .update(let loads, let update):
      for load in loads { load.receive(update) }
    case .act(let action):
      act(action)
    }
  }

  private func act(_ action: PipelineStateMachine.Action) {
    switch action {
    case .lookUp(let job):
      begin(job) { await $0.lookUp(job) }
    case .fetch(let job):
      begin(job) { await $0.fetch(job) }
    case .backOff(let job, let attempt):
      begin(job) { await $0.backOff(job, attempt: attempt) }
    case .decode(let pass, let job, let forms, let followsFetch):
      begin(pass) { await $0.decode(pass, of: job, forms, followsFetch: followsFetch) }
    case .derive(let pass, let job, let forms, let source, let isCached):
      begin(pass) { await $0.derive(pass, of: job, forms, from: source, isCached: isCached) }
    case .stopPass(let pass):
      state.withLock { $0.tasks.removeValue(forKey: pass) }?.cancel()
    case .discard(let job):
      guard let work = state.withLock({ $0.works.removeValue(forKey: job) }) else { return }
      work.task?.cancel()
      work.fetch?.end(isBroken: work.isBroken)
    case .succeed, .fail:
      // These became answers with the event.
      break
    }
  }

  private func begin(_ job: JobID, _ work: @escaping @Sendable (PipelineCore) async -> Void) {
    let task = CancellableTask()
    state.withLock { $0.works[job]?.task = task }
    task.start { await work(self) }
  }

  private func begin(_ pass: PassID, _ work: @escaping @Sendable (PipelineCore) async -> Void) {
    let task = CancellableTask()
    state.withLock { $0.tasks[pass] = task }
    task.start { await work(self) }
  }
}

extension PipelineCore.State {
  mutating func nextWaiter() -> WaiterID {
    lastWaiter += 1
    return WaiterID(number: lastWaiter)
  }

  mutating func takeLoad(_ waiter: WaiterID) -> LoadState? {
    guard let load = loads.removeValue(forKey: waiter) else { return nil }
    if load.wantsUpdates { observers -= 1 }
    if load.isPrefetch { prefetches.remove(load) }
    return load
  }

  mutating func add(
    _ waiter: WaiterID, _ demand: PipelineStateMachine.Demand, _ plan: RequestPlan,
    _ policy: ImageRequest.CachePolicy
  ) -> [PipelineCore.Effect] {
    let actions = machine.add(waiter, demand)
    if let job = machine.jobsByKey[demand.key], works[job] == nil {
      let reload = machine.jobsByKey[JobKey(resource: plan.resource, cachePolicy: .reload)]
      works[job] = PipelineCore.JobWork(
        request: plan.request, resource: plan.resource, cachePolicy: policy,
        isRefresh: demand.key.purpose == .refresh,
        isSuperseded: reload.flatMap { works[$0]?.isReloading } ?? false)
    }
    return effects(of: actions)
  }

  /// Converts the machine's actions to effects: adds the loads that are answered and their results.
  mutating func effects(
    of actions: [PipelineStateMachine.Action], error: (any Error)? = nil
  ) -> [PipelineCore.Effect] {
    actions.map { action in
      switch action {
      case .succeed(let waiters, let job, let form):
        let loads = waiters.compactMap { takeLoad($0) }
        guard let form, let image = works[job]?.images[form] else {
          return .answer(loads, .failure(ImageError(.corrupt, "The decoded image is missing.")))
        }
        return .answer(loads, .success(image))
      case .fail(let waiters):
        let loads = waiters.compactMap { takeLoad($0) }
        return .answer(loads, .failure(error ?? ImageError.cancelled))
      default:
        return .act(action)
      }
    }
  }

  /// Marks the other jobs of the resource that a job reloads. Returns their fetches, which must not store anything.
  mutating func supersedeOthers(by job: JobID) -> [ImageFetch] {
    guard let resource = works[job]?.resource else { return [] }
    works[job]?.isReloading = true
    let others = works.filter { $0.key != job && $0.value.resource == resource }
    for other in others.keys { works[other]?.isSuperseded = true }
    return others.values.compactMap(\.fetch)
  }

  /// Returns the loads that want updates on a job or one of its passes.
  func observers(of job: JobID) -> [LoadState] {
    guard observers > 0 else { return [] }
    return machine.waiters(of: job).compactMap { loads[$0] }.filter(\.wantsUpdates)
  }
}
