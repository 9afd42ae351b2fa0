/// What the pipeline does next: event in, actions out. It knows who waits for what, and nothing of how it is done.
///
/// Waiters ask for thumbnails of a resource. All that wait for one resource share a *job*, which gets the bytes once;
/// a job has *passes*, each a run of a decoder that makes several thumbnails, or of the resampler that makes small
/// thumbnails from a larger one. A pass collects targets until it starts.
///
/// Places are limited. A fetch's place is held until nothing is made of its bytes any more, so that the bytes in memory
/// are bounded by the number of places. A pass that follows a fetch needs no other place; any other one needs one of
/// the decodes' places, and has all it needs when it gets it, so that it never waits with the place in its hand.
struct PipelineStateMachine: Sendable {
  struct Options: Sendable {
    var fetches = SlotPool<JobID>.Limits(total: 12, perLane: 6)
    var decodes = SlotPool<PassID>.Limits(total: 4, perLane: 4)
    var mostRetries = 3
  }

  /// What a waiter asks for.
  struct Demand: Sendable {
    var key: JobKey
    var host: String
    /// Nil asks only that the stored bytes are refreshed.
    var target: ImageForm?
    var urgency: Urgency
    /// A thumbnail in the memory cache that the target can be made from.
    var cached: ImageForm?
  }

  enum Action: Sendable, Equatable {
    /// Look for the bytes in the disk cache; `lookUpEnded` follows.
    case lookUp(JobID)
    /// Fetch the bytes, or go on with it; `bytesBegan`, then `fetchEnded` or `fetchFailed` follow.
    case fetch(JobID)
    /// Call `backOffElapsed` after the pause for that attempt.
    case backOff(JobID, attempt: Int)
    /// Feed a decoder, while the bytes arrive or with those at hand; `passEnded` or `passFailed` follow.
    case decode(PassID, JobID, [ImageForm], followsFetch: Bool)
    /// Make thumbnails from a larger one; `passEnded` or `passFailed` follow, `sourceLost` if it is gone.
    case derive(PassID, JobID, [ImageForm], from: ImageForm, isCached: Bool)
    /// Stop this pass; nobody listens to it any more.
    case stopPass(PassID)
    /// Answer with the thumbnail that the job made for this target; without a target, only say that it is done.
    case succeed([WaiterID], JobID, ImageForm?)
    /// Answer with the error of this event.
    case fail([WaiterID])
    /// Stop whatever the job does, and let go of its bytes and thumbnails.
    case discard(JobID)
  }

  enum Phase: Sendable, Equatable {
    /// Nobody needs bytes.
    case resting
    case lookingUp
    /// Waits for a place.
    case queued
    case fetching(hasBegun: Bool)
    /// Keeps its place when bytes had come: with bytes in memory it must not wait behind others.
    case backingOff(hasBegun: Bool)
    /// All bytes are there: in memory, or in the disk cache.
    case atHand
  }

  enum Source: Sendable, Hashable {
    case bytes
    /// A thumbnail of the same job, made or being made.
    case made(ImageForm)
    case cached(ImageForm)
  }

  enum PassState: Sendable {
    /// Waits for bytes, or for the thumbnail it is made from.
    case gathering
    /// Waits for a place.
    case queued
    case running
  }

  struct Pass: Sendable {
    let job: JobID
    let source: Source
    var state = PassState.gathering
    var followsFetch = false
    /// In the order they were asked for.
    var order: [ImageForm] = []
    var waiters: [ImageForm: Set<WaiterID>] = [:]
  }

  struct Job: Sendable {
    let key: JobKey
    let host: String
    var phase = Phase.resting
    var interest = Interest()
    /// Those who wait for the bytes to be refreshed only.
    var refreshers: Set<WaiterID> = []
    var passes: [PassID] = []
    /// What was made of the bytes since the job began.
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
  var fetchLine = WaitingLine<JobID>()
  var decodeLine = WaitingLine<PassID>()
  private var lastNumber = 0

  init(_ options: Options = Options()) {
    self.options = options
    fetchSlots = SlotPool(options.fetches)
    decodeSlots = SlotPool(options.decodes)
  }

  // MARK: Waiters

  /// Somebody asks. The number must be new.
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
      jobs[id]?.refreshers.insert(waiter)
      requireBytes(id, &actions)
    }
    waiters[waiter] = record
    urgencyChanged(id)
    schedule(&actions)
    return actions
  }

  /// A waiter leaves. True when it was still waiting: then its answer is the caller's to give.
  mutating func cancel(_ waiter: WaiterID) -> (wasWaiting: Bool, actions: [Action]) {
    guard let record = waiters.removeValue(forKey: waiter) else { return (false, []) }
    var actions: [Action] = []
    jobs[record.job]?.interest.remove(record.urgency)
    jobs[record.job]?.refreshers.remove(waiter)
    if let pass = record.pass, let target = record.target {
      passes[pass]?.waiters[target]?.remove(waiter)
      dropIfUnwanted(pass, &actions)
    }
    settle(record.job, &actions)
    urgencyChanged(record.job)
    schedule(&actions)
    return (true, actions)
  }

  /// A waiter's work becomes more urgent, or less.
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

  /// Those who wait for thumbnails of a job.
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

  /// The pass that makes, or will make, the target: one there is already, or a new one in line if it can run at once.
  mutating func pass(for target: ImageForm, of job: JobID, cached: ImageForm?) -> PassID {
    let live = jobs[job]?.passes ?? []
    if let same = live.first(where: { passes[$0]?.waiters[target] != nil }) { return same }
    if let cached { return waitingPass(.cached(cached), of: job) }
    // Its bytes are still to be read: one more size of the same decode.
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

  /// A pass with that source that has not started, new if there is none.
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
    case .bytes: job.phase == .atHand
    case .made(let target): job.made.contains(target)
    case .cached: true
    }
  }
}
