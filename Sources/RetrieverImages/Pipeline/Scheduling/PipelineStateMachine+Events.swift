// The events of jobs and passes. An event for one that has ended changes nothing.
extension PipelineStateMachine {
  // MARK: Bytes

  enum LookUpResult: Sendable {
    /// The disk cache has usable bytes.
    case stored
    case missing
  }

  mutating func lookUpEnded(_ id: JobID, _ result: LookUpResult) -> [Action] {
    guard jobs[id]?.phase == .lookingUp else { return [] }
    var actions: [Action] = []
    switch result {
    case .stored:
      markBytesAvailable(id, &actions)
    case .missing:
      waitForFetch(id)
    }
    schedule(&actions)
    return actions
  }

  /// The first bytes of the image have arrived. Later requests cannot join this decode.
  mutating func bytesBegan(_ id: JobID) -> [Action] {
    guard jobs[id]?.phase == .fetching(hasBegun: false) else { return [] }
    var actions: [Action] = []
    jobs[id]?.phase = .fetching(hasBegun: true)
    for pass in jobs[id]?.passes ?? [] where passes[pass]?.source == .bytes {
      passes[pass]?.followsFetch = true
      start(pass, &actions)
    }
    return actions
  }

  /// The server sends another version of the image. The bytes of the earlier version are discarded.
  mutating func bytesRestarted(_ id: JobID) -> [Action] {
    guard jobs[id]?.phase == .fetching(hasBegun: true) else { return [] }
    var actions: [Action] = []
    jobs[id]?.phase = .fetching(hasBegun: false)
    moveToNewPass(id, &actions)
    return actions
  }

  /// All bytes are available: in memory, or, if the server confirmed them, in the disk cache.
  mutating func fetchEnded(_ id: JobID, isStored: Bool = false) -> [Action] {
    guard case .fetching = jobs[id]?.phase else { return [] }
    var actions: [Action] = []
    if isStored { fetchSlots.release(id) }
    markBytesAvailable(id, &actions)
    schedule(&actions)
    return actions
  }

  mutating func fetchFailed(_ id: JobID, mayRetry: Bool) -> [Action] {
    guard let job = jobs[id], case .fetching(let hasBegun) = job.phase else { return [] }
    guard mayRetry, job.retries < options.maximumRetries else { return bytesFailed(id) }
    var actions: [Action] = [.backOff(id, attempt: job.retries + 1)]
    jobs[id]?.retries += 1
    jobs[id]?.phase = .backingOff(hasBegun: hasBegun)
    if !hasBegun { fetchSlots.release(id) }
    schedule(&actions)
    return actions
  }

  mutating func backOffElapsed(_ id: JobID) -> [Action] {
    guard case .backingOff(let hasBegun) = jobs[id]?.phase else { return [] }
    if hasBegun {
      jobs[id]?.phase = .fetching(hasBegun: true)
      return [.fetch(id)]
    }
    var actions: [Action] = []
    waitForFetch(id)
    schedule(&actions)
    return actions
  }

  /// The bytes in the disk cache turned out to be damaged, so they are fetched.
  mutating func bytesLost(_ id: JobID) -> [Action] {
    guard jobs[id]?.phase == .available else { return [] }
    var actions: [Action] = []
    // If the job holds a slot, its bytes are in memory and cannot have been lost.
    guard !fetchSlots.contains(id) else { return bytesFailed(id) }
    moveToNewPass(id, &actions)
    waitForFetch(id)
    schedule(&actions)
    return actions
  }

  /// The bytes are not available. Thumbnails that are made from a cached one continue.
  mutating func bytesFailed(_ id: JobID) -> [Action] {
    guard let job = jobs[id] else { return [] }
    var actions: [Action] = []
    var failedWaiters = Array(job.refreshWaiters)
    jobs[id]?.refreshWaiters = []
    for pass in job.passes {
      guard let record = passes[pass] else { continue }
      if case .cached = record.source { continue }
      failedWaiters += removePass(pass, &actions)
    }
    fetchQueue.remove(id)
    fetchSlots.release(id)
    jobs[id]?.phase = .idle
    answer(failedWaiters)
    if !failedWaiters.isEmpty { actions.append(.fail(failedWaiters)) }
    endIfIdle(id, &actions)
    schedule(&actions)
    return actions
  }

  // MARK: Passes

  mutating func passEnded(_ id: PassID) -> [Action] {
    guard let pass = passes[id], pass.state == .running else { return [] }
    var actions: [Action] = []
    for target in pass.order {
      let answered = Array(pass.waiters[target] ?? [])
      answer(answered)
      if !answered.isEmpty { actions.append(.succeed(answered, pass.job, target)) }
    }
    jobs[pass.job]?.made.formUnion(pass.order)
    forget(id)
    for other in jobs[pass.job]?.passes ?? [] where passes[other]?.state == .gathering {
      if case .made(let source) = passes[other]?.source, pass.order.contains(source) { enqueue(other) }
    }
    endIfIdle(pass.job, &actions)
    urgencyChanged(pass.job)
    schedule(&actions)
    return actions
  }

  /// The image cannot have one of the pass's thumbnails. `passEnded` follows for the others.
  mutating func targetFailed(_ id: PassID, _ target: ImageForm) -> [Action] {
    guard let pass = passes[id], pass.state == .running, pass.order.contains(target) else { return [] }
    var actions: [Action] = []
    passes[id]?.order.removeAll { $0 == target }
    passes[id]?.waiters[target] = nil
    var failedWaiters = Array(pass.waiters[target] ?? [])
    failedWaiters += removeDependents(on: [target], of: pass.job, &actions)
    answer(failedWaiters)
    if !failedWaiters.isEmpty { actions.append(.fail(failedWaiters)) }
    return actions
  }

  /// Fails the waiters of the pass, and those whose thumbnails depend on it.
  mutating func passFailed(_ id: PassID) -> [Action] {
    guard let pass = passes[id], pass.state == .running else { return [] }
    var actions: [Action] = []
    var failedWaiters = removePass(id, stops: false, &actions)
    failedWaiters += removeDependents(on: pass.order, of: pass.job, &actions)
    answer(failedWaiters)
    if !failedWaiters.isEmpty { actions.append(.fail(failedWaiters)) }
    endIfIdle(pass.job, &actions)
    urgencyChanged(pass.job)
    schedule(&actions)
    return actions
  }

  /// The source thumbnail has left the cache, so the thumbnails are made from the bytes.
  mutating func sourceLost(_ id: PassID) -> [Action] {
    guard let pass = passes[id], pass.state == .running, pass.source != .bytes else { return [] }
    var actions: [Action] = []
    forget(id)
    for target in pass.order {
      guard let orphans = pass.waiters[target], !orphans.isEmpty else { continue }
      let newPass = self.pass(for: target, of: pass.job, cached: nil)
      attach(orphans, to: target, of: newPass)
      for waiter in orphans { waiters[waiter]?.pass = newPass }
    }
    requireBytes(pass.job, &actions)
    endIfIdle(pass.job, &actions)
    urgencyChanged(pass.job)
    schedule(&actions)
    return actions
  }

  // MARK: Parts

  mutating func requireBytes(_ id: JobID, _ actions: inout [Action]) {
    guard let job = jobs[id], job.phase == .idle else { return }
    guard !job.refreshWaiters.isEmpty || job.passes.contains(where: { passes[$0]?.source == .bytes }) else {
      return
    }
    jobs[id]?.phase = .lookingUp
    actions.append(.lookUp(id))
  }

  private mutating func waitForFetch(_ id: JobID) {
    guard let job = jobs[id] else { return }
    jobs[id]?.phase = .queued
    fetchQueue.add(id, host: job.host, urgency: job.interest.urgency)
  }

  private mutating func markBytesAvailable(_ id: JobID, _ actions: inout [Action]) {
    guard let job = jobs[id] else { return }
    jobs[id]?.phase = .available
    let refreshWaiters = Array(job.refreshWaiters)
    if !refreshWaiters.isEmpty {
      jobs[id]?.refreshWaiters = []
      answer(refreshWaiters)
      actions.append(.succeed(refreshWaiters, id, nil))
    }
    for pass in job.passes where passes[pass]?.source == .bytes && passes[pass]?.state == .gathering {
      enqueue(pass)
    }
    endIfIdle(id, &actions)
  }

  mutating func enqueue(_ pass: PassID) {
    guard let record = passes[pass], let job = jobs[record.job] else { return }
    passes[pass]?.state = .queued
    // Decodes have no host: only their total number is limited.
    decodeQueue.add(pass, host: "", urgency: job.interest.urgency)
  }

  private mutating func start(_ id: PassID, _ actions: inout [Action]) {
    guard let pass = passes[id] else { return }
    passes[id]?.state = .running
    switch pass.source {
    case .bytes:
      actions.append(.decode(id, pass.job, pass.order, followsFetch: pass.followsFetch))
    case .made(let source):
      actions.append(.derive(id, pass.job, pass.order, from: source, isCached: false))
    case .cached(let source):
      actions.append(.derive(id, pass.job, pass.order, from: source, isCached: true))
    }
  }

  /// Collects all thumbnails that depend on lost bytes in one new pass, which waits for new bytes.
  private mutating func moveToNewPass(_ id: JobID, _ actions: inout [Action]) {
    let old = (jobs[id]?.passes ?? []).filter { passes[$0]?.source == .bytes }
    guard !old.isEmpty else { return }
    let newPass = makePass(.bytes, of: id)
    for pass in old {
      guard let record = passes[pass] else { continue }
      if record.state == .running { actions.append(.stopPass(pass)) }
      forget(pass)
      for target in record.order {
        let movers = record.waiters[target] ?? []
        attach(movers, to: target, of: newPass)
        for waiter in movers { waiters[waiter]?.pass = newPass }
      }
    }
  }

  /// Removes waiters whose results are in this event's actions.
  private mutating func answer(_ answered: [WaiterID]) {
    for waiter in answered {
      guard let record = waiters.removeValue(forKey: waiter) else { continue }
      jobs[record.job]?.interest.remove(record.urgency)
    }
  }

  /// Ends a pass and returns its waiters.
  private mutating func removePass(
    _ id: PassID, stops: Bool = true, _ actions: inout [Action]
  ) -> [WaiterID] {
    guard let pass = passes[id] else { return [] }
    if stops, pass.state == .running { actions.append(.stopPass(id)) }
    forget(id)
    return pass.waiters.values.flatMap { $0 }
  }

  /// Ends the passes that wait for one of these thumbnails, and returns their waiters.
  private mutating func removeDependents(
    on sources: [ImageForm], of job: JobID, _ actions: inout [Action]
  ) -> [WaiterID] {
    var removedWaiters: [WaiterID] = []
    for other in jobs[job]?.passes ?? [] where passes[other]?.state == .gathering {
      guard case .made(let source) = passes[other]?.source, sources.contains(source) else { continue }
      removedWaiters += removePass(other, &actions)
    }
    return removedWaiters
  }

  mutating func forget(_ id: PassID) {
    guard let pass = passes.removeValue(forKey: id) else { return }
    jobs[pass.job]?.passes.removeAll { $0 == id }
    decodeQueue.remove(id)
    decodeSlots.release(id)
  }

  /// Ends a pass without waiters, unless other passes depend on its thumbnails.
  mutating func dropIfUnwanted(_ id: PassID, _ actions: inout [Action]) {
    guard let pass = passes[id], let job = jobs[pass.job] else { return }
    let sources = Set(
      job.passes.compactMap { other -> ImageForm? in
        if case .made(let source) = passes[other]?.source { source } else { nil }
      })
    let unwanted = pass.order.filter { pass.waiters[$0]?.isEmpty != false && !sources.contains($0) }
    if unwanted.count == pass.order.count {
      _ = removePass(id, &actions)
      // The pass may have been the last one that needed its source thumbnail.
      if case .made(let source) = pass.source {
        for other in job.passes where passes[other]?.waiters[source]?.isEmpty == true {
          dropIfUnwanted(other, &actions)
        }
      }
    } else if pass.state != .running {
      for target in unwanted { passes[id]?.waiters[target] = nil }
      passes[id]?.order.removeAll { unwanted.contains($0) }
    }
  }

  /// Ends a job that has nothing left to do.
  mutating func endIfIdle(_ id: JobID, _ actions: inout [Action]) {
    guard let job = jobs[id], job.passes.isEmpty, job.refreshWaiters.isEmpty else { return }
    jobs[id] = nil
    jobsByKey[job.key] = nil
    fetchQueue.remove(id)
    fetchSlots.release(id)
    actions.append(.discard(id))
  }

  mutating func urgencyChanged(_ id: JobID) {
    guard let job = jobs[id] else { return }
    let urgency = job.interest.urgency
    if fetchQueue.contains(id) { fetchQueue.setUrgency(urgency, of: id) }
    if !urgency.isPrefetch { fetchSlots.promote(id) }
    for pass in job.passes {
      if decodeQueue.contains(pass) { decodeQueue.setUrgency(urgency, of: pass) }
      if !urgency.isPrefetch { decodeSlots.promote(pass) }
    }
  }

  mutating func schedule(_ actions: inout [Action]) {
    while let id = fetchQueue.next(where: { [fetchSlots] in
      fetchSlots.hasRoom(in: $0, isPrefetch: $1)
    }) {
      guard let job = jobs[id] else { continue }
      fetchSlots.take(id, host: job.host, isPrefetch: job.interest.urgency.isPrefetch)
      jobs[id]?.phase = .fetching(hasBegun: false)
      actions.append(.fetch(id))
    }
    while let id = decodeQueue.next(where: { [decodeSlots] in
      decodeSlots.hasRoom(in: $0, isPrefetch: $1)
    }) {
      guard let pass = passes[id], let job = jobs[pass.job] else { continue }
      decodeSlots.take(id, host: "", isPrefetch: job.interest.urgency.isPrefetch)
      start(id, &actions)
    }
  }
}
