import Synchronization

// Waiting: for a place in the queue, and for the data that libcurl needs. Also how long a transfer may wait.
extension Transfer {
  /// Starts the transfer: it joins the queue, unless it is held.
  func enqueue() {
    guard machine.start() == .enqueue else { return }
    lastActivity = core.loop.now
    startMoment = lastActivity
    if let idle = request.idleTimeout, idle <= .zero { return fail(.timedOut(after: idle)) }
    if let deadline = request.deadline?.moment, deadline <= core.loop.now {
      return fail(.deadlinePassed)
    }
    if machine.isHeld { return core.loop.add(self) }
    joinQueue()
  }

  /// Adds the transfer to the queue of its server. After it was held, the client may have forgotten its server.
  func joinQueue() {
    do {
      let destination = try core.scheduler.destination(of: request)
      self.destination = destination
      if request.httpVersion == .http2PriorKnowledge {
        core.scheduler.learn(isMultiplexed: true, destination)
      }
      waiting = core.enqueue(self, at: destination)
      if runningIndex < 0 { core.loop.add(self) }
      core.startWaiting()
      if waiting != nil { core.watchGrowth(of: destination) }
    } catch {
      fail(error)
    }
  }

  func holdOnLoop() {
    isOnHold = true
    // A transfer that has failed ends at the end of this round.
    guard noticedFailure == nil, machine.hold() == .leaveQueue, let destination else { return }
    if !leaveQueue() { destination.pending.removeAll { $0 === self } }
  }

  func releaseOnLoop() {
    if machine.release() == .enqueue { joinQueue() }
  }

  /// Gives up the transfer's ticket or place. Returns false if it had no ticket.
  @discardableResult func leaveQueue() -> Bool {
    let ticket = waiting
    if let ticket {
      _ = core.scheduler.queue.remove(ticket)
      waiting = nil
    }
    if hasPlace, let destination {
      hasPlace = false
      core.gateLeft(self, destination)
      core.leave(destination)
    }
    return ticket != nil
  }

  /// Called when the queue has a place for the transfer. The time-out counts from now: time in the queue is not idle
  /// time of the server.
  func admit() {
    waiting = nil
    guard machine.isWaiting, let destination else { return }
    hasPlace = true
    destination.admittedCount += 1
    // The loop may not have seen the command yet.
    if isHoldWanted.load(ordering: .relaxed) { return holdOnLoop() }
    lastActivity = core.loop.now
    turnMoment = lastActivity
    if let expiry { core.loop.include(expiry) }
    if let failure = core.unsupportedCheck(of: destination) { return fail(failure) }
    if core.isReady(destination), core.mayConnect(self, to: destination) {
      begin()
    } else {
      destination.pending.append(self)
    }
  }

  // MARK: Time

  /// When this transfer times out. Time that the consumer spends paused, or that the transfer spends held or in the
  /// queue, does not count as idle time.
  var expiry: Monotonic? {
    var earliest: Monotonic?
    if let idle = request.idleTimeout, waiting == nil, !machine.isHeld, !machine.isReceivePaused, !isUpgraded,
      !awaitsAnswer, !isOnHold
    {
      earliest = lastActivity + idle
    }
    if let moment = request.deadline?.moment { earliest = earliest.map { min($0, moment) } ?? moment }
    return earliest
  }

  func expire() {
    guard machine.cancel() != .none else { return }
    handle?.closesConnection()
    carrier?.isRetired = true
    let isDeadline = request.deadline.map { $0.moment <= core.loop.now } ?? false
    detachAndFinish(isDeadline ? .deadlinePassed : .timedOut(after: request.idleTimeout ?? .zero))
  }
}
