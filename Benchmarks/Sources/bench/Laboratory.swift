// Runs the contenders in turn and collects their readings.
import Foundation

/// The readings of each contender in a measurement, or the reason why there are none.
typealias Readings = [Contender: Result<[Reading], Problem>]

struct Laboratory {
  /// The maximum time in seconds that a client may take for one round.
  static let patience = 60.0

  let place: Place
  let settings: Settings
  let web: WebServer
  let rates = Rates()

  /// Runs the contenders alternately (A B C, A B C, …), so that other load on the machine affects all of them equally.
  /// A contender that failed does not run again.
  func readings(of measurement: Measurement) -> Readings {
    var readings: Readings = [:]
    // The quality is the same in each round.
    let rounds = if case .quality = measurement.method { 1 } else { max(1, settings.rounds) }
    for round in 1...rounds {
      for contender in measurement.contenders {
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
    case .planned(let plan): return try planned(contender, plan)
    case .paced(let page, let listener): return try paced(contender, page, listener)
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
        throw Problem("the client did not report when it had its response")
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
    // The client does not report when it has finished its internal work. A short wait is enough.
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
    child.send("cancel\n")
    let statement = try Statement(child.line(within: Laboratory.patience))
    // The server must see the end of all connections, too.
    guard try holder.line(within: 10) == "open 0" else { throw Problem("the client left connections open") }
    let usage = try child.finish(within: Laboratory.patience)
    return Reading(statement: statement, cpuSeconds: usage.cpuSeconds)
  }

  /// Starts a holder and a client, and waits until the holder holds all requests of the client.
  private func startHeld(_ contender: Contender) throws -> (holder: Child, client: Child) {
    let count = contender.count ?? 1
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur > count + 200 else {
      throw Problem("the limit of open files is too low. Set ulimit -n above \(count + 200)")
    }
    let holder = try Child(place.build.appending(path: "peers/holder").path, ["\(count)"])
    let greeting = try holder.line(within: 5).split(separator: " ")
    guard greeting.count == 2, greeting[0] == "port" else {
      throw Problem("the holder did not print its port")
    }
    let child = try start(contender, "http://127.0.0.1:\(greeting[1])/")
    guard try holder.line(within: Laboratory.patience, whileRunning: child) == "held \(count)" else {
      throw Problem("not all requests reached the holder")
    }
    return (holder, child)
  }
}

/// The kernel's information about a running process.
struct ProcessStatus {
  let residentKib: Int
  let threads: Int

  init(_ pid: pid_t) throws {
    let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    func field(_ name: String) throws -> Int {
      let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
      else {
        throw Problem("/proc/\(pid)/status has no field \(name)")
      }
      return number
    }
    residentKib = try field("VmRSS")
    threads = try field("Threads")
  }
}
