import CLinux
import Glibc
import LoopThread
import Synchronization

/// Waits in epoll and lets libcurl process ready sockets. In between, it runs jobs of Swift tasks
/// (`EventLoop+Jobs.swift`).
///
/// Only the thread that holds the ``LoopLock`` uses the loop's state, so the state has no locks. Other threads post
/// commands to the loop's inbox, with one exception. If a transfer is started while the loop sleeps, the starting
/// thread passes it to libcurl itself. This sends the request before the loop could have woken up.
///
/// `@unchecked Sendable`: only the holder of `lock` uses the `var`s; the rest is immutable.
final class EventLoop: @unchecked Sendable {
  let index: Int
  let inbox = Inbox(maximumThreads: maximumThreads)
  private let lock = LoopLock()
  private let epoll: Int32
  private let wake: EventCounter
  /// Counts the spare threads that were made drivers and have not noticed it.
  let relief: EventCounter

  // Used by the holder of the lock only.
  // A number, which cannot be changed by two at the same time on one thread. It is read too often for a check.
  @exclusivity(unchecked) private(set) var now = Monotonic.now()
  var sockets: SocketTable<ClientCore>
  private var commands: [Inbox.Command] = []
  private var timers = DeadlineHeap<ClientCore>()
  private var growthTimers = DeadlineHeap<GrowthTimer>()
  private var connectTimers = DeadlineHeap<Connection>()
  private var dueNow: [ClientCore] = []
  private var touched: [ClientCore] = []
  private var unread: [ClientCore] = []
  private var running: [Transfer] = []
  private var failed: [Transfer] = []
  private var broken: [Transfer] = []
  private var stopped: [Transfer] = []
  private var streaming: [Transfer] = []
  private var ended: [(Transfer, TransferEnd)] = []
  private var unflushedObservers: [Transfer] = []
  private var notMultiplexed: [Destination] = []
  private var unflushed: [(core: ClientCore, connection: ConnectionEnds)] = []
  private var sweep = IdleSweep()
  /// When the loop will wake up by itself; nil while it is awake.
  private var wakesAt: Monotonic?
  /// Whether ``SliceWatch`` knows the loop. Used by the driver only.
  var isWatched = false
  private var ready = [epoll_event](repeating: epoll_event(), count: 256)

  /// Returns nil if the system has no descriptor left.
  init?(index: Int) {
    self.index = index
    let epoll = SocketTable<ClientCore>.makeEpoll()
    let wake = EventCounter(.polled)
    let relief = EventCounter(.semaphore)
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.fd = wake.descriptor
    let descriptors = [epoll, wake.descriptor, relief.descriptor]
    guard descriptors.allSatisfy({ $0 >= 0 }),
      epoll_ctl(epoll, EPOLL_CTL_ADD, wake.descriptor, &event) == 0
    else {
      for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
      return nil
    }
    self.epoll = epoll
    self.wake = wake
    self.relief = relief
    self.sockets = SocketTable<ClientCore>(epoll: epoll)
  }

  /// Starts the thread. The loop lives as long as the process.
  func startThread() -> Bool { LoopThread.start("retriever-loop") { self.run(asDriver: true) } == 0 }

  /// Posts a command to the loop, from any thread.
  func post(_ command: Inbox.Command) {
    if inbox.put(command) { wakeUp() }
  }

  /// Starts a transfer: on this thread if the loop sleeps, otherwise through the inbox. A job of the loop's driver is
  /// followed by a look into the inbox.
  func start(_ transfer: Transfer) {
    guard !isCurrent else { return post(.start(transfer)) }
    guard lock.tryLock() else { return post(.start(transfer)) }
    inbox.starterBegins()
    now = .now()
    let polls = transfer.core.pace.isQuick && running.isEmpty
    if polls { sockets.holdBack() }
    transfer.enqueue()
    fireTimers()
    if polls { pollForResponse(to: transfer) }
    var rounds = 0
    var isDone = false
    while !isDone, rounds < Self.maximumStarterRounds {
      rounds += 1
      fireTimers()
      finishDoneTransfers()
      for command in inbox.drain() { perform(command) }
      isDone = inbox.starterEnds()
    }
    // A starting thread stays only for a few rounds, even if others post more commands. The loop is woken up for the
    // rest.
    if !isDone { inbox.starterLeaves() }
    // The loop handles any remaining work, and any deadline that is earlier than the one it sleeps for.
    let wakes = !isDone || wakesAt.map { hasWork || nextDeadline < $0 } ?? false
    lock.unlock()
    if wakes { wakeUp() }
  }

  private static let maximumStarterRounds = 4

  /// Polls briefly for the response of a server that is known to be quick, without sleeping.
  private func pollForResponse(to transfer: Transfer) {
    let end = Monotonic.now() + ResponsePace.maximumPollTime
    while transfer.runningIndex >= 0, let socket = sockets.onlyHeldBack {
      var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, 0) > 0 {
        transfer.core.act(on: socket, events: EPOLLIN.rawValue)
        finishTouched()
      } else {
        // On a busy machine, the server may be waiting for this processor.
        sched_yield()
        now = .now()
        if now >= end {
          transfer.core.pace.pollFailed()
          break
        }
      }
    }
    sockets.releaseHeldBack()
  }

  func wakeUp() { wake.signal() }

  /// Drives the loop until another thread does.
  func drive() {
    lock.lock()
    var hasRunJobs = false
    while true {
      now = .now()
      inbox.drain(into: &commands)
      for command in commands { perform(command) }
      commands.removeAll(keepingCapacity: true)
      fireTimers()
      expireIdleTransfers()
      finishDoneTransfers()
      // The requests that jobs have made are sent first. Then the sockets have a turn before further jobs.
      if !hasRunJobs, let (stint, count) = inbox.beginJobs() {
        lock.unlock()
        guard runJobs(in: stint, count: count) else { return }
        lock.lock()
        hasRunJobs = true
      } else {
        hasRunJobs = false
        wait()
      }
    }
  }

  private func perform(_ command: Inbox.Command) {
    switch command {
    case .start(let transfer): transfer.enqueue()
    case .cancel(let transfer): transfer.cancelOnLoop()
    case .hold(let transfer): transfer.holdOnLoop()
    case .resumeReceiving(let transfer): transfer.resumeReceivingOnLoop()
    case .resumeSending(let transfer): transfer.resumeSendingOnLoop()
    case .named(let core, let destination, let index, let result): core.named(destination, index, result)
    case .trusted(let core, let result): core.trusted(result)
    case .proceed(let core, let destination): core.proceed(destination)
    case .answered(let core, let destination, let transfer, let subject, let answer):
      core.answered(destination, transfer, subject, answer)
    case .close(let core): core.close()
    }
  }

  // MARK: Timers

  /// Sets when libcurl wants to be called; nil cancels the timer.
  func setTimer(of core: ClientCore, due: Monotonic?) {
    core.timerDue = due
    guard let due, due <= now else { return timers.set(core, due: due) }
    timers.set(core, due: nil)
    guard !core.isInDueList else { return }
    core.isInDueList = true
    dueNow.append(core)
  }

  /// Sets when a server's loads may use more connections.
  func setTimer(_ timer: GrowthTimer, due: Monotonic) { growthTimers.set(timer, due: due) }

  /// Sets when a connection tries another address as well; nil if it does not.
  func setTimer(of connection: Connection, due: Monotonic?) { connectTimers.set(connection, due: due) }

  private func fireTimers() {
    while let connection = connectTimers.popEarliest(due: now) { connection.actOnTimer() }
    while let timer = growthTimers.popEarliest(due: now) { timer.core.growthTimerFired(timer) }
    while let core = timers.popEarliest(due: now) { setTimer(of: core, due: core.timerDue) }
    var index = 0
    while index < dueNow.count {
      let core = dueNow[index]
      index += 1
      core.isInDueList = false
      if let due = core.timerDue, due <= now {
        core.timerDue = nil
        core.actOnTimer()
      }
      // A core that requests another immediate call waits until after the sockets, so that timers cannot starve them.
      if index == 4096 { break }
    }
    dueNow.removeFirst(index)
  }

  // MARK: Transfers

  func add(_ transfer: Transfer) {
    transfer.runningIndex = running.count
    running.append(transfer)
    if let deadline = transfer.expiry { sweep.include(deadline) }
  }

  /// Records a transfer that could not be started.
  func addFailed(_ transfer: Transfer) { failed.append(transfer) }

  /// Records a transfer whose connection is no longer usable. libcurl may not notice this.
  func addBroken(_ transfer: Transfer) { broken.append(transfer) }

  /// Records a transfer whose upgraded connection libcurl no longer reads.
  func addStopped(_ transfer: Transfer) { stopped.append(transfer) }

  /// Records a transfer whose HTTP/2 stream received data that libcurl should deliver by itself.
  func addStreaming(_ transfer: Transfer) { streaming.append(transfer) }

  /// Passes data to libcurl 7.88 that it had no room for, and makes it check its streams again. It may miss the end of
  /// a stream while it sends the stream's body. Otherwise it would not check until the connection receives more data.
  private func recheckStreams() {
    guard !streaming.isEmpty else { return }
    var rechecked: [Transfer] = []
    swap(&rechecked, &streaming)
    for transfer in rechecked { transfer.recheckStream() }
    rechecked.removeAll(keepingCapacity: true)
    if streaming.isEmpty { swap(&rechecked, &streaming) }
  }

  /// Records that libcurl has unsent data for this connection.
  func addUnflushed(_ core: ClientCore, _ connection: ConnectionEnds) {
    guard !unflushed.contains(where: { $0.core === core && $0.connection == connection }) else { return }
    unflushed.append((core, connection))
  }

  /// Makes one transfer of each connection send the data. If a connection has no such transfer, libcurl has closed it,
  /// or all its other streams are paused. In the second case, the data is sent when one of the streams resumes.
  private func flushConnections() {
    guard !unflushed.isEmpty else { return }
    var rest = unflushed
    unflushed = []
    for transfer in running {
      let index = rest.firstIndex {
        $0.core === transfer.core && $0.connection == transfer.attempt.connection
      }
      guard let index, transfer.flushesConnection() else { continue }
      rest.remove(at: index)
      if rest.isEmpty { return }
    }
  }

  /// Records that this server's connections carry only one transfer at a time.
  func addNotMultiplexed(_ destination: Destination) { notMultiplexed.append(destination) }

  private func stopWaitingToShare() {
    while let destination = notMultiplexed.popLast() {
      for transfer in running where transfer.destination === destination { transfer.restartWithoutSharing() }
    }
  }

  func remove(_ transfer: Transfer) {
    let index = transfer.runningIndex
    guard index >= 0, index < running.count else { return }
    let last = running.removeLast()
    if last !== transfer {
      running[index] = last
      last.runningIndex = index
    }
    transfer.runningIndex = -1
  }

  private func expireIdleTransfers() {
    guard sweep.begins(at: now) else { return }
    var expired: [Transfer] = []
    for transfer in running {
      guard let deadline = transfer.expiry else { continue }
      if deadline <= now { expired.append(transfer) } else { sweep.include(deadline) }
    }
    for transfer in expired { transfer.expire() }
  }

  /// Records that a transfer may expire earlier than known.
  func include(_ deadline: Monotonic) { sweep.include(deadline) }

  /// Records that some of this client's handles may be done.
  func touch(_ core: ClientCore) {
    guard !core.isTouched else { return }
    core.isTouched = true
    touched.append(core)
  }

  private func finishDoneTransfers() {
    while let transfer = failed.popLast() { transfer.finishFailed() }
    finishTouched()
    recheckStreams()
    // This comes after the transfers that libcurl reports as done: their responses may be complete.
    while let transfer = broken.popLast() { transfer.finishBroken() }
    while let transfer = stopped.popLast() { transfer.finishStopped() }
    flushConnections()
    stopWaitingToShare()
    flushObservers()
    notifyEnded()
  }

  /// Wakes each reader once for all data that arrived together, instead of once for each piece.
  private func flushObservers() {
    guard !unflushedObservers.isEmpty else { return }
    var notified: [Transfer] = []
    swap(&notified, &unflushedObservers)
    for transfer in notified { transfer.flushObserver() }
    notified.removeAll(keepingCapacity: true)
    if unflushedObservers.isEmpty { swap(&notified, &unflushedObservers) }
  }

  func addUnflushedObserver(_ transfer: Transfer) { unflushedObservers.append(transfer) }

  /// Records that a client's connections may have more to read or to send, although their sockets show nothing.
  func addUnread(_ core: ClientCore) {
    if !unread.contains(where: { $0 === core }) { unread.append(core) }
  }

  private func readRest() {
    guard !unread.isEmpty else { return }
    let cores = unread
    unread.removeAll(keepingCapacity: true)
    for core in cores {
      core.pools?.readRest()
      touch(core)
    }
  }

  private func finishTouched() {
    var index = 0
    while index < touched.count {
      let core = touched[index]
      index += 1
      core.isTouched = false
      core.finishDoneTransfers()
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Wakes all waiting threads together, after libcurl has done its work. The first call wakes a thread, and the others
  /// find it awake.
  private func notifyEnded() {
    guard !ended.isEmpty else { return }
    var notified: [(Transfer, TransferEnd)] = []
    swap(&notified, &ended)
    for (transfer, end) in notified { transfer.notifyFinished(end) }
    notified.removeAll(keepingCapacity: true)
    if ended.isEmpty { swap(&notified, &ended) }
  }

  /// Records that the transfer has ended. Its observer is notified at the end of the round.
  func addEnded(_ transfer: Transfer, _ end: TransferEnd) {
    ended.append((transfer, end))
  }

  // MARK: Waiting

  private var hasWork: Bool {
    !dueNow.isEmpty || !touched.isEmpty || !unread.isEmpty || !failed.isEmpty || !broken.isEmpty
      || !streaming.isEmpty
      || !stopped.isEmpty
      || !ended.isEmpty || !unflushedObservers.isEmpty || !unflushed.isEmpty || !notMultiplexed.isEmpty
  }

  private var nextDeadline: Monotonic {
    let end = Monotonic(nanoseconds: .max)
    return min(
      timers.earliest ?? end, sweep.next ?? end, growthTimers.earliest ?? end, connectTimers.earliest ?? end)
  }

  private func timeout() -> Int32 {
    if hasWork { return 0 }
    let due = nextDeadline
    return due.nanoseconds == .max ? -1 : due.milliseconds(after: .now())
  }

  /// Sleeps until something is ready or due. The lock is free during this time.
  private func wait() {
    var timeout = timeout()
    if timeout != 0, !inbox.fallAsleep() { timeout = 0 }
    wakesAt = nextDeadline
    sockets.beginLook()
    let quick = timeout != 0 && running.count == 1 && running[0].core.pace.isQuick ? running[0].core : nil
    lock.unlock()
    var count = quick == nil ? 0 : pollBriefly()
    let hasPolledInVain = quick != nil && count == 0
    if count == 0 { count = Int(epoll_wait(epoll, &ready, Int32(ready.count), timeout)) }
    lock.lock()
    if hasPolledInVain { quick?.pace.pollFailed() }
    wakesAt = nil
    actOnReady(count)
    let hasRest = !unread.isEmpty
    readRest()
    guard count > 0 || hasRest else { return }
    collectResponses()
    finishDoneTransfers()
  }

  /// Polls all sockets for a moment, without sleeping. Returns the number of ready ones.
  private func pollBriefly() -> Int {
    let end = Monotonic.now() + ResponsePace.maximumPollTime
    while true {
      let count = Int(epoll_wait(epoll, &ready, Int32(ready.count), 0))
      guard count == 0, .now() < end else { return count }
      sched_yield()
    }
  }

  /// Collects further responses before the waiting threads are notified, so that one wake-up serves many.
  private func collectResponses() {
    var rounds = 0
    while rounds < Self.maximumRounds {
      finishTouched()
      recheckStreams()
      guard !ended.isEmpty, !running.isEmpty, ended.count < Self.maximumCollected else { return }
      sockets.beginLook()
      let count = Int(epoll_wait(epoll, &ready, Int32(ready.count), 0))
      actOnReady(count)
      guard count > 0 else { return }
      rounds += 1
    }
  }

  /// These limits delay the waiting threads by only a fraction of a millisecond.
  private static let maximumRounds = 16
  private static let maximumCollected = 32

  /// Acts on the first `count` ready sockets; a negative number is an error of epoll.
  private func actOnReady(_ count: Int) {
    if count > 0 { now = .now() }
    for index in 0..<max(count, 0) {
      let event = ready[index]
      if event.data.fd == wake.descriptor {
        wake.take()
      } else if let owner = sockets.owner(ofReady: event.data.fd) {
        owner.takeUnretainedValue().act(on: event.data.fd, events: event.events)
      } else if let owner = sockets.owner(ofIdle: event.data.fd) {
        owner.takeUnretainedValue().actOnIdle(event.data.fd)
      }
    }
    // More sockets may be ready than there was room for.
    if 0..<ready.count ~= count { sockets.endLook() }
  }
}
