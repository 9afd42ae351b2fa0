import Testing

@testable import RetrieverImages

extension ImageForm {
  static func fit(_ side: Int) -> ImageForm { .thumbnail(ThumbnailTarget(width: side, height: side)) }
}

extension WaiterID: ExpressibleByIntegerLiteral where Of == PipelineWaiter {
  /// Lets tests write numbers as identifiers.
  public init(integerLiteral number: Int) { self.init(number: number) }
}

/// A state machine and the actions that it has returned so far.
struct MachineUnderTest {
  typealias Action = PipelineStateMachine.Action

  var machine: PipelineStateMachine

  init(fetches: Int = 12, perHost: Int = 6, decodes: Int = 4, retries: Int = 3) {
    machine = PipelineStateMachine(
      .init(
        fetches: .init(total: fetches, perHost: perHost),
        decodes: .init(total: decodes, perHost: decodes), maximumRetries: retries))
  }

  mutating func ask(
    _ waiter: WaiterID, for form: ImageForm? = .fit(100), of name: String = "a", host: String = "h",
    _ priority: WorkPriority = .normal, isPrefetch: Bool = false, cached: ImageForm? = nil
  ) -> [Action] {
    machine.add(
      waiter,
      .init(
        key: JobKey(resource: ImageResource(identity: name), cachePolicy: .use), host: host, target: form,
        urgency: Urgency(priority, isPrefetch: isPrefetch), cached: cached))
  }

  /// Adds a job whose bytes are not in the disk cache, up to its fetch or its place in the queue.
  mutating func askForFetch(
    _ waiter: WaiterID, for form: ImageForm = .fit(100), of name: String, host: String = "h",
    _ priority: WorkPriority = .normal, isPrefetch: Bool = false
  ) throws -> (job: JobID, actions: [Action]) {
    let first = ask(waiter, for: form, of: name, host: host, priority, isPrefetch: isPrefetch)
    let job = try #require(first.jobs.first)
    return (job, machine.lookUpEnded(job, .missing))
  }
}

extension [PipelineStateMachine.Action] {
  var jobs: [JobID] {
    compactMap {
      switch $0 {
      case .lookUp(let job), .fetch(let job), .backOff(let job, _), .discard(let job): job
      default: nil
      }
    }
  }

  var fetches: [JobID] { compactMap { if case .fetch(let job) = $0 { job } else { nil } } }

  var passes: [PassID] {
    compactMap {
      switch $0 {
      case .decode(let pass, _, _, _), .derive(let pass, _, _, _, _), .stopPass(let pass): pass
      default: nil
      }
    }
  }

  var answered: [WaiterID] {
    flatMap { action -> [WaiterID] in
      switch action {
      case .succeed(let waiters, _, _), .fail(let waiters): return waiters
      default: return []
      }
    }
  }
}
