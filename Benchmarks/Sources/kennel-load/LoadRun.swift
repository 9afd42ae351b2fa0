import Foundation
import KennelLoad
import Retriever
import TerminalProgram

/// One load, from signing in to the report.
struct LoadRun: Sendable {
  private let options: LoadOptions
  private let stop: StopSignal

  /// The time in which listeners must receive the last event.
  private static let patience = Duration.seconds(15)

  init(_ options: LoadOptions, stop: StopSignal) { (self.options, self.stop) = (options, stop) }

  func report() async throws -> LoadReport {
    let session = KennelClient.session(connections: max(8, options.people))
    let accounts = People(options: options, session: session)
    let clients = try await accounts.clients()
    let photos = options.mix.contains(.upload) ? try PhotoSource(seed: options.seed) : nil
    let subjects = try await Subjects(
      options, clients, accounts.observer(clients, at: options.addresses[0]), photos)
    let listeners = listeners(clients)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      for listener in listeners { group.addTask { await listener.listen() } }
      try await waitForGreetings(listeners)
      var report = LoadReport()
      let people = try await act(clients, subjects, photos, &report)
      await conclude(people, listeners, accounts, subjects, &report)
      group.cancelAll()
      return report
    }
  }

  // MARK: Listeners

  private func listeners(_ clients: [KennelClient]) -> [Listener] {
    let addresses = options.addresses
    let session = KennelClient.session(connections: options.listeners + 1)
    return (0..<options.listeners).map { number in
      // A person hears the same events as everybody, but the bytes are made for the person alone.
      let cookie = clients.isEmpty ? nil : clients[number % clients.count].cookie
      let client = KennelClient(
        address: addresses[number % addresses.count], session: session, cookie: cookie)
      return Listener(client, isWitness: number < addresses.count)
    }
  }

  private func waitForGreetings(_ listeners: [Listener]) async throws {
    let end = ContinuousClock.now + Self.patience
    while let missing = listeners.first(where: { $0.check == nil }), !stop.isStopped {
      guard !missing.hasEnded, ContinuousClock.now < end else {
        throw Failure(
          .failure,
          "A listener got no greeting at \(missing.address.text). Allow more connections from one address: kennel serve --max-connections-per-address N."
        )
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  // MARK: Load

  private func act(
    _ clients: [KennelClient], _ subjects: Subjects, _ photos: PhotoSource?, _ report: inout LoadReport
  ) async throws -> [Person] {
    let before = Self.processorSeconds
    let start = ContinuousClock.now
    let people = try await withThrowingTaskGroup(of: Person.self) { group in
      for (number, client) in clients.enumerated() {
        var person = Person(
          number: number, client: client, posts: subjects.posts, photos: photos, hearts: subjects.hearts)
        group.addTask {
          try await person.act(options, from: start, stop: stop)
          return person
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let time = ContinuousClock.now - start
    report.seconds = time / .seconds(1)
    report.clientProcessorSeconds = Self.processorSeconds - before
    report.isInterrupted = stop.isStopped
    report.addresses = options.addresses.map(\.text)
    (report.people, report.seed, report.wantedRate) = (clients.count, options.seed, options.rate)
    var tallies: [ActionKind: ActionTally] = [:]
    for person in people {
      for (kind, tally) in person.tallies { tallies[kind, default: ActionTally()].add(tally) }
    }
    report.setRows(tallies)
    return people
  }

  /// The user and system time of this process.
  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  // MARK: Checks

  private func conclude(
    _ people: [Person], _ listeners: [Listener], _ accounts: People, _ subjects: Subjects,
    _ report: inout LoadReport
  ) async {
    var hearts = subjects.hearts
    for person in people { hearts.merge(person.hearts, of: person.number) }
    var end: Int64?
    if options.mix.hasChanges, let first = people.first(where: { $0.number == 0 }) {
      do {
        end = try await subjects.finalHeart(of: first.client, &hearts)
      } catch {
        report.problems.append("The final heart was not accepted: \(Failure(general: error).message)")
      }
    }
    if let end { await wait(for: end, listeners) }
    let shown = await compare(hearts, people.isEmpty ? [] : people.map(\.client), accounts, &report)
    guard !listeners.isEmpty else { return }
    var summary = EventSummary(listeners.compactMap(\.check), through: end)
    summary.ended = listeners.count { $0.hasEnded }
    for witness in listeners.compactMap(\.witness) {
      summary.unreportedChanges += people.reduce(0) { sum, person in
        sum + person.comments.count { !witness.comments.contains($0) }
          + person.uploads.count { !witness.posts.contains($0) }
      }
      summary.wrongCounts += witness.counts.count { post, count in shown[post].map { $0 != count } ?? false }
    }
    report.events = summary
  }

  private func wait(for event: Int64, _ listeners: [Listener]) async {
    let end = ContinuousClock.now + Self.patience
    while listeners.contains(where: { $0.last < event && !$0.hasEnded }), ContinuousClock.now < end {
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Compares the hearts at every address, and returns the counts of the first one.
  private func compare(
    _ hearts: HeartLedger, _ clients: [KennelClient], _ accounts: People, _ report: inout LoadReport
  ) async -> [Int64: Int] {
    guard options.mix.contains(.heart) else { return [:] }
    let expected = hearts.expected()
    var first: [Int64: Int] = [:]
    for address in options.addresses {
      let observer = accounts.observer(clients, at: address)
      var wrong: [Int64] = []
      for (post, range) in expected.sorted(by: { $0.key < $1.key }) {
        do {
          let count = try await Subjects.count(of: post, observer)
          if address == options.addresses[0] { first[post] = count }
          if !range.contains(count) { wrong.append(post) }
        } catch {
          report.problems.append(
            "Could not read the hearts of post \(post) at \(address.text): \(Failure(general: error).message)"
          )
        }
      }
      report.hearts.append(.init(address: address.text, posts: expected.count, wrong: wrong))
    }
    return first
  }
}
