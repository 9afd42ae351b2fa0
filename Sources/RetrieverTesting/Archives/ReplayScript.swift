import Foundation
import Retriever

/// The order in which requests may use the entries of an archive.
public enum ReplayOrder: Sendable, Hashable {
  /// The requests must come in the order of the archive, and each exactly once.
  case strict
  /// A request uses the first entry that fits it and was not used. If all of them were used, it uses the last one again.
  case loose
}

/// The entries of an archive that answer requests.
struct ReplayScript: Sendable {
  enum Outcome: Sendable {
    case answer(StubAnswer)
    /// No entry fits; the text says why.
    case none(String)
  }

  private let exchanges: [ArchivedExchange]
  private let order: ReplayOrder
  private let name: String
  private var isUsed: [Bool]

  init(_ exchanges: [ArchivedExchange], order: ReplayOrder, name: String) {
    self.exchanges = exchanges
    self.order = order
    self.name = name
    isUsed = exchanges.map { _ in false }
  }

  /// The requests of the archive that did not come.
  var unused: [String] { zip(exchanges, isUsed).filter { !$0.1 }.map(\.0.description) }

  mutating func next(for request: ReceivedRequest) -> Outcome {
    order == .strict ? nextInOrder(request) : nextInAnyOrder(request)
  }

  private mutating func nextInOrder(_ request: ReceivedRequest) -> Outcome {
    guard let index = isUsed.firstIndex(of: false) else {
      return .none("all \(exchanges.count) entries of \(name) were used")
    }
    guard exchanges[index].fits(request) else {
      return .none("the next entry of \(name) is \(exchanges[index].description)")
    }
    isUsed[index] = true
    return .answer(exchanges[index].answer)
  }

  private mutating func nextInAnyOrder(_ request: ReceivedRequest) -> Outcome {
    let fitting = exchanges.indices.filter { exchanges[$0].fits(request) }
    // The same URL may have got several bodies.
    let equal = fitting.filter { exchanges[$0].hasBody(of: request) }
    let candidates = equal.isEmpty ? fitting : equal
    guard let index = candidates.first(where: { !isUsed[$0] }) ?? candidates.last else {
      return .none("\(name) has no entry for it")
    }
    isUsed[index] = true
    return .answer(exchanges[index].answer)
  }
}

extension ArchivedExchange {
  /// Whether this is the method and URL of a request. An archive may contain the URL without its secrets.
  fileprivate func fits(_ request: ReceivedRequest) -> Bool {
    guard method == request.method else { return false }
    if url == request.url.absoluteString { return true }
    #if canImport(Darwin)
    return false
    #else
    return Redaction.text(of: request.url) == url
    #endif
  }

  fileprivate func hasBody(of request: ReceivedRequest) -> Bool {
    guard let requestBody else { return request.body.isEmpty }
    if requestBody == request.body { return true }
    #if canImport(Darwin)
    return false
    #else
    return requestBody
      == Redaction.body(
        request.body, mimeType: request.value(forHTTPHeaderField: "Content-Type"),
        coding: request.value(forHTTPHeaderField: "Content-Encoding"))
    #endif
  }
}
