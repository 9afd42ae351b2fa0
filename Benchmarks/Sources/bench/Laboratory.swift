// Runs contenders in turn and reads them.
import Foundation

/// What came of a measurement: every reading of every contender, or why there are none.
typealias Readings = [Contender: Result<[Reading], Problem>]

struct Laboratory {
  /// The longest any client may take for one round.
  static let patience = 60.0

  let place: Place
  let settings: Settings
  let web: WebServer

  /// A B C, A B C, …: whatever else the machine does meanwhile falls on all of them alike. A contender that
  /// failed once is not asked again.
  func readings(of measurement: Measurement) -> Readings {
    let wanted = measurement.questions.filter(settings.wants).flatMap {
      [$0.ours, $0.peer].compactMap(\.self)
    }
    var readings: Readings = [:]
    // A judgement is the same each time.
    let rounds = if case .quality = measurement.method { 1 } else { max(1, settings.rounds) }
    for round in 1...rounds {
      for contender in measurement.contenders where wanted.contains(contender) {
        guard case .success(let earlier) = readings[contender] ?? .success([]) else { continue }
        warn("bench: \(measurement.name), round \(round) of \(rounds): \(contender.label)")
        do {
          readings[contender] = .success(earlier + [try reading(of: contender, measurement.method)])
        } catch {
          warn("bench: \(contender.label): \(error)")
          readings[contender] = .failure(Problem("\(contender.label): \(error)"))
        }
      }
    }
    return readings
  }

  private func reading(of contender: Contender, _ method: Measurement.Method) throws -> Reading {
    switch method {
    case .plain(let page, let listener): return try plain(contender, page, listener)
    case .lookup(let page): return try lookup(contender, page)
    case .launches(let page, let count): return try launches(contender, web.url(page), count)
    case .held: return try held(contender)
    case .cancelled: return try cancelled(contender)
    case .thumbnails(let picture): return try thumbnails(contender, picture)
    case .trickled(let picture, let rate): return try trickled(contender, picture, bytesPerSecond: rate)
    case .served(let picture): return try served(contender, picture)
    case .sources(let folders): return try sources(contender, folders)
    case .kennel(let task): return try kennel(contender, task)
    case .quality(let picture): return try quality(contender, picture)
    }
  }

  private func launches(_ contender: Contender, _ url: String, _ count: Int) throws -> Reading {
    var readings: [Reading] = []
    for _ in 0..<count {
      let child = try start(contender, url)
      let statement = try Statement(child.line(within: Laboratory.patience))
      let usage = try child.finish(within: Laboratory.patience)
      guard let finished = statement.finishedNs else {
        throw Problem("it did not say when it had its response")
      }
      readings.append(
        Reading(
          statement: statement, cpuSeconds: usage.cpuSeconds,
          startup: Double(finished - child.spawnedAt) / 1e9))
    }
    readings.sort { ($0.startup ?? 0) < ($1.startup ?? 0) }
    return readings[readings.count / 2]
  }

  private func held(_ contender: Contender) throws -> Reading {
    let (holder, child) = try startHeld(contender)
    // Nothing tells when the last client-side bookkeeping is over; a moment is enough for it.
    usleep(300_000)
    let status = try ProcessStatus(child.pid)
    holder.signal(SIGUSR1)
    let statement = try Statement(child.line(within: Laboratory.patience))
    let usage = try child.finish(within: Laboratory.patience)
    return Reading(
      statement: statement, cpuSeconds: usage.cpuSeconds, residentKib: status.residentKib,
      threads: status.threads)
  }

  private func cancelled(_ contender: Contender) throws -> Reading {
    let (holder, child) = try startHeld(contender)
    usleep(300_000)
    child.tell("cancel\n")
    let statement = try Statement(child.line(within: Laboratory.patience))
    // Seen from the other side, too: no connection may be left.
    guard try holder.line(within: 10) == "open 0" else { throw Problem("connections were left open") }
    let usage = try child.finish(within: Laboratory.patience)
    return Reading(statement: statement, cpuSeconds: usage.cpuSeconds)
  }

  /// A holder and a client all of whose requests it holds.
  private func startHeld(_ contender: Contender) throws -> (holder: Child, client: Child) {
    let count = contender.count ?? 1
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur > count + 200 else { throw Problem("ulimit -n must be above \(count + 200)") }
    let holder = try Child(place.build.appending(path: "peers/holder").path, ["\(count)"])
    let greeting = try holder.line(within: 5).split(separator: " ")
    guard greeting.count == 2, greeting[0] == "port" else {
      throw Problem("the holder did not name its port")
    }
    let child = try start(contender, "http://127.0.0.1:\(greeting[1])/")
    guard try holder.line(within: Laboratory.patience, whileRunning: child) == "held \(count)" else {
      throw Problem("the requests did not all arrive")
    }
    return (holder, child)
  }
}

/// What the kernel says of a running process.
struct ProcessStatus {
  let residentKib: Int
  let threads: Int

  init(_ pid: pid_t) throws {
    let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    func field(_ name: String) throws -> Int {
      let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
      else {
        throw Problem("the kernel does not tell \(name)")
      }
      return number
    }
    residentKib = try field("VmRSS")
    threads = try field("Threads")
  }
}
