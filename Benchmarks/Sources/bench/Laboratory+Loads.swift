// Measures clients that load from many hosts, use a server like an API, or start requests at a fixed rate.
import Foundation

/// The requests that a client sends in turn.
enum RequestPlan: String {
  /// A file of 1 KiB from 1,000 hosts.
  case hosts
  /// Lists and new entries in JSON, from and to 5 hosts: three with HTTP/1.1 and two with HTTP/2.
  case api

  /// The lines of the client's plan.
  func lines(_ web: WebServer) -> [String] {
    switch self {
    case .hosts:
      return WebServer.manyAddresses.map {
        "GET \(web.url(BenchFile.small.name, at: .manyHosts, address: $0))"
      }
    case .api:
      return Authority.addresses.enumerated().flatMap { number, address in
        let listener: WebServer.Listener = number < 3 ? .https : .http2
        let list = "GET \(web.url(BenchFile.shortList.name, at: listener, address: address))"
        return [list, list, "POST \(web.url("created", at: listener, address: address))"]
      }
    }
  }
}

/// The rates of measurements with a fixed rate. Each is measured once, and is the same for all clients.
final class Rates {
  var measured: [WebServer.Listener: Double] = [:]
}

extension Laboratory {
  func planned(_ contender: Contender, _ plan: RequestPlan) throws -> Reading {
    let lines = plan.lines(web)
    let file = place.work.appending(path: "plan-\(plan.rawValue)")
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
    guard let url = lines.first?.split(separator: " ").last else { throw Problem("the plan is empty") }
    return try client(contender, String(url), ["--plan", file.path])
  }

  func paced(_ contender: Contender, _ page: String, _ listener: WebServer.Listener) throws -> Reading {
    let rate = try self.rate(page, listener)
    return try client(contender, web.url(page, at: listener), ["--rate", "\(rate)"])
  }

  /// Returns half of the maximum rate of the slower client.
  private func rate(_ page: String, _ listener: WebServer.Listener) throws -> Double {
    if let measured = rates.measured[listener] { return measured }
    let maximum = try [Contender.Program.retriever, .go].map {
      let statement = try plain(Contender($0, "get64"), page, listener).statement
      return Double(statement.requests) / statement.seconds
    }
    let rate = ((maximum.min() ?? 0) / 2).rounded()
    rates.measured[listener] = rate
    return rate
  }
}
