import CLinux
import Glibc
import Synchronization

/// One thread that waits in epoll and lets libcurl work on what is ready.
///
/// Everything a loop owns is touched only by whoever has its ``Turn``, and so has no lock of its own. Other threads
/// reach it through its inbox, with one exception: a transfer that is started while the loop sleeps is handed to
/// libcurl by the starting thread itself. Its request is on the wire before a woken loop would have looked at it.
///
/// `@unchecked Sendable`: the `var`s are used only by the holder of `turn`; the rest is immutable.
final class EventLoop: @unchecked Sendable {
  let index: Int
  private let inbox = Inbox()
  private let turn = Turn()
  private let epoll: Int32
  private let wake: Int32

  // The turn's holder's.
  private(set) var now = Monotonic.now()
  var sockets: SocketTable
  private var commands: [Inbox.Command] = []
  private var timers = DeadlineHeap<ClientCore>()
  private var dueNow: [ClientCore] = []
  private var touched: [ClientCore] = []
  private var running: [Transfer] = []
  private var failed: [Transfer] = []
  private var broken: [Transfer] = []
  private var streaming: [Transfer] = []
  private var ended: [(Transfer, TransferEnd)] = []
  private var unsettled: [Transfer] = []
  private var unshared: [Destination] = []
  private var unflushed: [(core: ClientCore, localPort: Int32)] = []
  private var sweep = IdleSweep()
  /// When the loop will wake by itself; nil while it is awake.
  private var wakesAt: Monotonic?
  private var ready = [epoll_event](repeating: epoll_event(), count: 256)

  /// Nil when the kernel has no descriptor or no thread left.
  init?(index: Int) {
    self.index = index
    let epoll = SocketTable.makeEpoll()
    let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.fd = wake
    guard epoll >= 0, wake >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0 else {
      if epoll >= 0 { close(epoll) }
      if wake >= 0 { close(wake) }
      return nil
    }
    self.epoll = epoll
    self.wake = wake
    self.sockets = SocketTable(epoll: epoll)
  }

  /// Starts the thread. The loop lives as long as the process: its one reference is handed to the thread.
  func startThread() -> Bool { NamedThread.start("retriever-loop") { self.run() } }

  /// Gives the loop something to do, from any thread.
  func post(_ command: Inbox.Command) {
    if inbox.put(command) { wakeUp() }
  }

  /// Starts a transfer: here and now if the loop sleeps, else by way of the inbox.
  func start(_ transfer: Transfer) {
    guard turn.takeIfFree() else { return post(.start(transfer)) }
    inbox.starterBegins()
    now = .now()
    let looks = transfer.core.pace.isQuick && running.isEmpty
    if looks { sockets.holdBack() }
    transfer.enqueue()
    fireTimers()
    if looks { lookForAnswer(to: transfer) }
    var rounds = 0
    var isDone = false
    while !isDone, rounds < Self.maximumStarterRounds {
      rounds += 1
      fireTimers()
      finishDoneTransfers()
      for command in inbox.drain() { perform(command) }
      isDone = inbox.starterEnds()
    }
    // However busy others are, a starter does not stay: the loop is woken for the rest.
    if !isDone { inbox.starterLeaves() }
    // What is left to do, and deadlines nearer than the one it sleeps towards, are the loop's own.
    let wakes = !isDone || wakesAt.map { hasWork || nextDeadline < $0 } ?? false
    turn.giveBack()
    if wakes { wakeUp() }
  }

  private static let maximumStarterRounds = 4

  /// Waits for the answer of a server that is known to be quick, without sleeping, for a moment.
  private func lookForAnswer(to transfer: Transfer) {
    let end = now + AnswerPace.longestLook
    while transfer.runningIndex >= 0, let socket = sockets.onlyHeldBack {
      var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      if Glibc.poll(&poll, 1, 0) > 0 {
        transfer.core.act(on: socket, events: EPOLLIN.rawValue)
        finishTouched()
      } else {
        // On a busy machine the server may be waiting for this very processor.
        sched_yield()
        now = .now()
        if now >= end {
          transfer.core.pace.lookedInVain()
          break
        }
      }
    }
    sockets.letGo()
  }

  private func wakeUp() {
    var one: UInt64 = 1
    _ = write(wake, &one, 8)
  }

  private func run() -> Never {
    turn.take()
    while true {
      now = .now()
      inbox.drain(into: &commands)
      for command in commands { perform(command) }
      commands.removeAll(keepingCapacity: true)
      fireTimers()
      expireIdleTransfers()
      finishDoneTransfers()
      wait()
    }
  }

  private func perform(_ command: Inbox.Command) {
    switch command {
    case .start(let transfer): transfer.enqueue()
    case .cancel(let transfer): transfer.cancelOnLoop()
    case .resumeReceiving(let transfer): transfer.resumeReceivingOnLoop()
    case .resumeSending(let transfer): transfer.resumeSendingOnLoop()
    case .named(let core, let destination, let index, let result): core.named(destination, index, result)
    case .trusted(let core, let result): core.trusted(result)
    case .close(let core): core.close()
    }
  }

  // MARK: Timers

  /// libcurl's wish to be called at a moment; nil takes it back.
  func setTimer(of core: ClientCore, due: Monotonic?) {
    core.timerDue = due
    guard let due, due <= now else { return timers.set(core, due: due) }
    timers.set(core, due: nil)
    guard !core.isInDueList else { return }
    core.isInDueList = true
    dueNow.append(core)
  }

  private func fireTimers() {
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
      // A core that asks again at once gets its turn after the sockets: no timer may starve them.
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

  /// A transfer that libcurl would not take.
  func addFailed(_ transfer: Transfer) { failed.append(transfer) }

  /// The transfer's connection is of no use any more, and libcurl may not notice.
  func addBroken(_ transfer: Transfer) { broken.append(transfer) }

  /// Something came over the transfer's HTTP/2 stream that libcurl ought to hand over by itself.
  func addStreaming(_ transfer: Transfer) { streaming.append(transfer) }

  /// libcurl 7.88 is given what it had no room for, and looks again: it may miss the end of a stream while it sends the
  /// stream's body. Nobody would look before something comes on that connection.
  private func remindOfStreams() {
    guard !streaming.isEmpty else { return }
    var reminded: [Transfer] = []
    swap(&reminded, &streaming)
    for transfer in reminded { transfer.remindOfStream() }
    reminded.removeAll(keepingCapacity: true)
    if streaming.isEmpty { swap(&reminded, &streaming) }
  }

  /// libcurl keeps something that is to be sent over this connection.
  func addUnflushed(_ core: ClientCore, localPort: Int32) {
    guard !unflushed.contains(where: { $0.core === core && $0.localPort == localPort }) else { return }
    unflushed.append((core, localPort))
  }

  /// One transfer of each connection has it sent. Without one, libcurl has closed the connection; or every other stream of
  /// it is paused, and it is sent when one of them goes on.
  private func flushConnections() {
    guard !unflushed.isEmpty else { return }
    var rest = unflushed
    unflushed = []
    for transfer in running {
      let index = rest.firstIndex {
        $0.core === transfer.core && $0.localPort == transfer.attempt.localPort
      }
      guard let index, transfer.flushesConnection() else { continue }
      rest.remove(at: index)
      if rest.isEmpty { return }
    }
  }

  /// This server's connections turn out to carry one transfer at a time.
  func addUnshared(_ destination: Destination) { unshared.append(destination) }

  private func stopWaitingToShare() {
    while let destination = unshared.popLast() {
      for transfer in running where transfer.destination === destination { transfer.waitsNoLonger() }
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

  /// A transfer may expire earlier than was known.
  func include(_ deadline: Monotonic) { sweep.include(deadline) }

  /// This client's handles may be done.
  func touch(_ core: ClientCore) {
    guard !core.isTouched else { return }
    core.isTouched = true
    touched.append(core)
  }

  private func finishDoneTransfers() {
    while let transfer = failed.popLast() { transfer.finishFailed() }
    finishTouched()
    remindOfStreams()
    // After those that libcurl calls done: theirs may be complete.
    while let transfer = broken.popLast() { transfer.finishBroken() }
    flushConnections()
    stopWaitingToShare()
    settle()
    tellEnds()
  }

  /// Readers are woken when what came at once is taken in, and not by each piece of it.
  private func settle() {
    guard !unsettled.isEmpty else { return }
    var told: [Transfer] = []
    swap(&told, &unsettled)
    for transfer in told { transfer.settle() }
    told.removeAll(keepingCapacity: true)
    if unsettled.isEmpty { swap(&told, &unsettled) }
  }

  func addUnsettled(_ transfer: Transfer) { unsettled.append(transfer) }

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

  /// Those who wait are woken together, after libcurl's part is done: the first one wakes a thread, and the others
  /// find it awake.
  private func tellEnds() {
    guard !ended.isEmpty else { return }
    var told: [(Transfer, TransferEnd)] = []
    swap(&told, &ended)
    for (transfer, end) in told { transfer.tell(end) }
    told.removeAll(keepingCapacity: true)
    if ended.isEmpty { swap(&told, &ended) }
  }

  /// The transfer is over; its observer hears of it at the end of the round.
  func addEnded(_ transfer: Transfer, _ end: TransferEnd) {
    ended.append((transfer, end))
  }

  // MARK: Waiting

  private var hasWork: Bool {
    !dueNow.isEmpty || !touched.isEmpty || !failed.isEmpty || !broken.isEmpty || !streaming.isEmpty
      || !ended.isEmpty || !unsettled.isEmpty || !unflushed.isEmpty || !unshared.isEmpty
  }

  private var nextDeadline: Monotonic {
    let end = Monotonic(nanoseconds: .max)
    return min(timers.earliest ?? end, sweep.next ?? end)
  }

  private func timeout() -> Int32 {
    if hasWork { return 0 }
    let due = nextDeadline
    return due.nanoseconds == .max ? -1 : due.milliseconds(after: .now())
  }

  /// Sleeps until something is ready or due; the turn is free meanwhile.
  private func wait() {
    var timeout = timeout()
    if timeout != 0, !inbox.fallAsleep() { timeout = 0 }
    wakesAt = nextDeadline
    turn.giveBack()
    let count = Int(epoll_wait(epoll, &ready, Int32(ready.count), timeout))
    turn.take()
    wakesAt = nil
    guard count > 0 else { return }
    actOnReady(count)
    gatherMore()
    finishDoneTransfers()
  }

  /// While answers keep coming, they are taken in before those who wait for them are told: one wake-up for many.
  private func gatherMore() {
    var rounds = 0
    while rounds < Self.maximumRounds {
      finishTouched()
      remindOfStreams()
      guard !ended.isEmpty, !running.isEmpty, ended.count < Self.maximumGathered else { return }
      let count = Int(epoll_wait(epoll, &ready, Int32(ready.count), 0))
      guard count > 0 else { return }
      actOnReady(count)
      rounds += 1
    }
  }

  /// Those who wait are not kept waiting for more than a fraction of a millisecond.
  private static let maximumRounds = 16
  private static let maximumGathered = 32

  private func actOnReady(_ count: Int) {
    now = .now()
    for index in 0..<count {
      let event = ready[index]
      if event.data.fd == wake {
        var value: UInt64 = 0
        _ = read(wake, &value, 8)
      } else if let owner = sockets.owner(ofReady: event.data.fd) {
        owner.takeUnretainedValue().act(on: event.data.fd, events: event.events)
      }
    }
  }
}
