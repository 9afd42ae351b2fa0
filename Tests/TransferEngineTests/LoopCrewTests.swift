import TestSupport
import Testing

@testable import TransferEngine

@Suite struct LoopCrewTests {
  /// A crew as an object, because `#expect` cannot call mutating methods.
  private final class Crew {
    private var crew: LoopCrew
    init(maximumThreads: Int) { crew = LoopCrew(maximumThreads: maximumThreads) }
    var state: LoopCrew { crew }
    func beginJobs() -> LoopCrew.Stint? { crew.beginJobs() }
    func endJobs(_ stint: LoopCrew.Stint) -> Bool { crew.endJobs(stint) }
    func endSlice() -> LoopCrew.Stint? { crew.endSlice() }
    func relieve(_ stint: LoopCrew.Stint) -> LoopCrew.Relief { crew.relieve(stint) }
    func arrive(for stint: LoopCrew.Stint) -> Bool { crew.arrive(for: stint) }
    func startFailed() { crew.startFailed() }
    func becomeSpare() { crew.becomeSpare() }
  }

  @Test func `a driver that returns in time is not relieved`() throws {
    let crew = Crew(maximumThreads: 3)
    let stint = try #require(crew.beginJobs())
    #expect(crew.endSlice() == nil, "The stint began during this slice.")
    #expect(crew.endJobs(stint))
    #expect(crew.endSlice() == nil)
    #expect(crew.relieve(stint) == .none)
  }

  @Test func `a driver that stays in jobs is relieved by a new thread`() throws {
    let crew = Crew(maximumThreads: 3)
    let stint = try #require(crew.beginJobs())
    _ = crew.endSlice()
    #expect(crew.endSlice() == stint)
    #expect(crew.relieve(stint) == .start(stint))
    #expect(crew.state.isDriver(in: stint), "The new thread does not run yet.")
    #expect(crew.arrive(for: stint))
    #expect(!crew.endJobs(stint) && crew.state.threads - crew.state.spares - 1 == 1)
  }

  @Test func `a new thread is a worker if the driver has returned`() throws {
    let crew = Crew(maximumThreads: 3)
    let stint = try #require(crew.beginJobs())
    #expect(crew.relieve(stint) == .start(stint))
    #expect(crew.endJobs(stint))
    #expect(!crew.arrive(for: stint))
    crew.becomeSpare()
    let next = try #require(crew.beginJobs())
    #expect(crew.relieve(next) == .wake && crew.state.spares == 0)
  }

  @Test func `a thread that cannot start leaves everything as it was`() throws {
    let crew = Crew(maximumThreads: 2)
    let stint = try #require(crew.beginJobs())
    #expect(crew.relieve(stint) == .start(stint))
    crew.startFailed()
    #expect(crew.state.isDriver(in: stint) && crew.state.threads == 1)
    #expect(crew.relieve(stint) == .start(stint))
  }

  @Test func `the last thread only drives`() throws {
    let crew = Crew(maximumThreads: 2)
    let stint = try #require(crew.beginJobs())
    #expect(crew.relieve(stint) == .start(stint))
    #expect(crew.arrive(for: stint))
    #expect(!crew.state.canBeRelieved && crew.beginJobs() == nil)
    crew.becomeSpare()
    #expect(crew.beginJobs() != nil)
  }

  /// Threads that act at random, compared with what each of them knows.
  @Test(arguments: 0..<20) func `there is always exactly one driver`(seed: UInt64) throws {
    enum Role: Equatable {
      case driver, inJobs(LoopCrew.Stint), worker, spare, starting(LoopCrew.Stint)
    }
    var random = SeededRandom(seed)
    let maximum = Int(seed % 4) + 2
    var crew = LoopCrew(maximumThreads: maximum)
    var roles: [Role] = [.driver]
    /// The thread that was relieved finds out when it returns.
    func isRelieved(_ role: Role) -> Bool {
      if case .inJobs(let stint) = role { !crew.isDriver(in: stint) } else { false }
    }
    for step in 0..<50_000 {
      let index = Int(random.next() % UInt64(roles.count))
      switch roles[index] {
      case .driver:
        let mayRun = crew.canBeRelieved
        let stint = crew.beginJobs()
        #expect((stint != nil) == mayRun, "seed \(seed), step \(step)")
        if let stint { roles[index] = .inJobs(stint) }
      case .inJobs(let stint):
        if random.next() % 3 == 0 {
          // Time passes.
          guard let late = crew.endSlice() else { break }
          switch crew.relieve(late) {
          case .none:
            let isStarting = roles.contains { if case .starting = $0 { true } else { false } }
            #expect(isStarting, "seed \(seed), step \(step): nothing relieves the driver")
          case .wake:
            let spare = try #require(roles.firstIndex(of: .spare))
            roles[spare] = .driver
          case .start(let stint):
            if random.next() % 4 == 0 { crew.startFailed() } else { roles.append(.starting(stint)) }
          }
        } else {
          roles[index] = crew.endJobs(stint) ? .driver : .worker
        }
      case .worker:
        crew.becomeSpare()
        roles[index] = .spare
      case .starting(let stint): roles[index] = crew.arrive(for: stint) ? .driver : .worker
      case .spare: break
      }
      let drivers = roles.filter { role in
        if case .inJobs = role { !isRelieved(role) } else { role == .driver }
      }
      guard drivers.count == 1, roles.count == crew.threads, roles.count <= maximum,
        roles.filter({ $0 == .spare }).count == crew.spares
      else {
        Issue.record("seed \(seed), step \(step): \(roles), \(crew)")
        return
      }
    }
  }
}
