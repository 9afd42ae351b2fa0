/// Decides what the pipeline does next: it receives events and returns actions, and does no work itself.
///
/// Waiters ask for thumbnails of a resource. All waiters for one resource share a *job*, which gets the bytes only
/// once. A job has *passes*. Each pass is a run of a decoder that makes several thumbnails, or of the resampler that
/// makes small thumbnails from a larger one. A pass collects targets until it starts.
///
/// The number of slots is limited. A fetch holds its slot until nothing is made from its bytes anymore, which limits
/// the number of images in memory. A pass that follows a fetch needs no other slot. Any other pass needs a decode
/// slot, and starts as soon as it gets one, so that no slot is held by a waiting pass.
struct PipelineStateMachine: Sendable {
  struct Options: Sendable {
    var fetches = SlotPool<JobID>.Limits(total: 12, perHost: 6)
    var decodes = SlotPool<PassID>.Limits(total: 4, perHost: 4)
    var maximumRetries = 3
  }

  /// The request of a waiter.
  struct Demand: Sendable {
    var key: JobKey
    var host: String
    /// The thumbnail; nil if the waiter only wants the stored bytes to be refreshed.
    var target: ImageForm?
    var urgency: Urgency
    /// A thumbnail in the memory cache that can be the source of the target.
    var cached: ImageForm?
  }

  enum Action: Sendable, Equatable {
    /// Look for the bytes in the disk cache. `lookUpEnded` follows.
    case lookUp(JobID)
    /// Start or continue the fetch. `bytesBegan`, then `fetchEnded` or `fetchFailed` follow.
    case fetch(JobID)
    /// Wait for the pause of that attempt, then call `backOffElapsed`.
    case backOff(JobID, attempt: Int)
    /// Decode the bytes while they arrive, or those that are available. `passEnded` or `passFailed` follow.
    case decode(PassID, JobID, [ImageForm], followsFetch: Bool)
    /// Make thumbnails from a larger one. `passEnded` or `passFailed` follow, or `sourceLost` if it is gone.
    case derive(PassID, JobID, [ImageForm], from: ImageForm, isCached: Bool)
    /// Stop this pass; its result is not needed anymore.
    case stopPass(PassID)
    /// Return the thumbnail that the job made for this target. Without a target, only report success.
    case succeed([WaiterID], JobID, ImageForm?)
    /// Return the error of this event.
    case fail([WaiterID])
    /// Stop everything that the job does, and release its bytes and thumbnails.
    case discard(JobID)
  }

  enum Phase: Sendable, Equatable {
    /// The bytes are not needed.
    case idle
    case lookingUp
    /// The job waits for a slot.
    case queued
    case fetching(hasBegun: Bool)
    /// The job keeps its slot if bytes have arrived: with bytes in memory, it must not wait for others.
    case backingOff(hasBegun: Bool)
    /// All bytes are available, in memory or in the disk cache.
    case available
  }

  enum Source: Sendable, Hashable {
    case bytes
    /// A thumbnail of the same job that is finished or in progress.
    case made(ImageForm)
    case cached(ImageForm)
  }

  enum PassState: Sendable {
    /// The pass waits for bytes, or for its source thumbnail.
    case gathering
    /// The pass waits for a slot.
    case queued
    case running
  }

  struct Pass: Sendable {
    let job: JobID
    let source: Source
    var state = PassState.gathering
    var followsFetch = false
    /// The targets, in the order in which they were requested.
    var order: [ImageForm] = []
    var waiters: [ImageForm: Set<WaiterID>] = [:]
  }

  struct Job: Sendable {
    let key: JobKey
    let host: String
    var phase = Phase.idle
    var interest = Interest()
    /// The waiters that only want the bytes to be refreshed.
    var refreshWaiters: Set<WaiterID> = []
    var passes: [PassID] = []
    /// The thumbnails made from the bytes since the job began.
    var made: Set<ImageForm> = []
    var retries = 0
  }

  struct Waiter: Sendable {
    let job: JobID
    let target: ImageForm?
    var pass: PassID?
    var urgency: Urgency
  }

  let options: Options
  var jobs: [JobID: Job] = [:]
  var jobsByKey: [JobKey: JobID] = [:]
  var passes: [PassID: Pass] = [:]
  var waiters: [WaiterID: Waiter] = [:]
  var fetchSlots: SlotPool<JobID>
  var decodeSlots: SlotPool<PassID>
  var fetchQueue = PriorityQueue<JobID>()
  var decodeQueue = PriorityQueue<PassID>()
  private var lastNumber = 0

  init(_ options: Options = Options()) {
    self.options = options
    fetchSlots = SlotPool(options.fetches)
    decodeSlots = SlotPool(options.decodes)
  }

  // MARK: Waiters

  /// Adds a waiter. Its identifier must be new.
  mutating func add(_ waiter: WaiterID, _ demand: Demand) -> [Action] {
    var actions: [Action] = []
    let id = jobsByKey[demand.key] ?? makeJob(demand)
    if let target = demand.target, jobs[id]?.made.contains(target) == true {
      return [.succeed([waiter], id, target)]
    }
    jobs[id]?.interest.add(demand.urgency)
    var record = Waiter(job: id, target: demand.target, urgency: demand.urgency)
    if let target = demand.target {
      let pass = pass(for: target, of: id, cached: demand.cached)
      record.pass = pass
      attach([waiter], to: target, of: pass)
      if passes[pass]?.source == .bytes { requireBytes(id, &actions) }
    } else {
      jobs[id]?.refreshWaiters.insert(waiter)
      requireBytes(id, &actions)
    }
    waiters[waiter] = record
    urgencyChanged(id)
    schedule(&actions)
    return actions
  }

  /// Removes a waiter. Returns true if it was still waiting; then the caller must give it a result.
  mutating func cancel(_ waiter: WaiterID) -> (wasWaiting: Bool, actions: [Action]) {
    guard let record = waiters.removeValue(forKey: waiter) else { return (false, []) }
    var actions: [Action] = []
    jobs[record.job]?.interest.remove(record.urgency)
    jobs[record.job]?.refreshWaiters.remove(waiter)
    if let pass = record.pass, let target = record.target {
      passes[pass]?.waiters[target]?.remove(waiter)
      dropIfUnwanted(pass, &actions)
    }
    endIfIdle(record.job, &actions)
    urgencyChanged(record.job)
    schedule(&actions)
    return (true, actions)
  }

  /// Changes the urgency of a waiter.
  mutating func setUrgency(_ urgency: Urgency, of waiter: WaiterID) -> [Action] {
    guard let record = waiters[waiter], record.urgency != urgency else { return [] }
    var actions: [Action] = []
    waiters[waiter]?.urgency = urgency
    jobs[record.job]?.interest.remove(record.urgency)
    jobs[record.job]?.interest.add(urgency)
    urgencyChanged(record.job)
    schedule(&actions)
    return actions
  }

  /// Returns the waiters for thumbnails of a job.
  func waiters(of job: JobID) -> [WaiterID] {
    (jobs[job]?.passes ?? []).flatMap { passes[$0]?.waiters.values.flatMap { $0 } ?? [] }
  }

  // MARK: Making

  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func makeJob(_ demand: Demand) -> JobID {
    let id = JobID(number: nextNumber())
    jobs[id] = Job(key: demand.key, host: demand.host)
    jobsByKey[demand.key] = id
    return id
  }

  mutating func makePass(_ source: Source, of job: JobID) -> PassID {
    let id = PassID(number: nextNumber())
    passes[id] = Pass(job: job, source: source)
    jobs[job]?.passes.append(id)
    return id
  }

  mutating func attach(_ newcomers: Set<WaiterID>, to target: ImageForm, of pass: PassID) {
    guard passes[pass] != nil else { return }
    if passes[pass]?.waiters[target] == nil { passes[pass]?.order.append(target) }
    passes[pass]?.waiters[target, default: []].formUnion(newcomers)
  }

  /// Returns the pass that makes the target: an existing one, or a new one, which is queued if it can run immediately.
  mutating func pass(for target: ImageForm, of job: JobID, cached: ImageForm?) -> PassID {
    let live = jobs[job]?.passes ?? []
    if let same = live.first(where: { passes[$0]?.waiters[target] != nil }) { return same }
    if let cached { return waitingPass(.cached(cached), of: job) }
    // The bytes are still to be decoded, so the same decode can make another size.
    if live.contains(where: { passes[$0]?.source == .bytes && passes[$0]?.state != .running }) {
      return waitingPass(.bytes, of: job)
    }
    var larger = Array(jobs[job]?.made ?? [])
    for pass in live where passes[pass]?.source == .bytes { larger += passes[pass]?.order ?? [] }
    if let source = ThumbnailDerivation.best(of: larger, for: target) {
      return waitingPass(.made(source), of: job)
    }
    return waitingPass(.bytes, of: job)
  }

  /// Returns a pass with that source that has not started. Creates one if necessary.
  mutating func waitingPass(_ source: Source, of job: JobID) -> PassID {
    let live = jobs[job]?.passes ?? []
    if let waiting = live.first(where: { passes[$0]?.source == source && passes[$0]?.state != .running }) {
      return waiting
    }
    let pass = makePass(source, of: job)
    if hasSource(pass) { enqueue(pass) }
    return pass
  }

  private func hasSource(_ pass: PassID) -> Bool {
    guard let record = passes[pass], let job = jobs[record.job] else { return false }
    return switch record.source {
    case .bytes: job.phase == .available
    case .made(let target): job.made.contains(target)
    case .cached: true
    }
  }
}
