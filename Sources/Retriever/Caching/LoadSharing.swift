#if !canImport(Darwin)
import Caches
import Foundation

/// Which loads wait for the response to another load of the same URL (RFC 9111, 4: collapsed requests). A pure value.
///
/// The first load that misses leads. Loads that miss while it runs follow it: they wait for the head of its response. If the
/// response may answer them, they also wait for its end, and look it up. Otherwise they ask the server themselves.
package struct LoadSharing: Sendable {
  /// The number of a load that leads or follows. Numbers are never used twice.
  package typealias Load = UInt64

  /// The maximum number of loads that follow one.
  package static let maximumFollowers = 1024
  /// The maximum number of URLs whose responses are known to answer one request only.
  package static let maximumRefusals = 256

  /// The part of a load that decides which others it may follow.
  package struct Request: Sendable {
    package var key: CacheKey
    package var fields: HeaderFields
    package var priority: Float

    package init(key: CacheKey, fields: HeaderFields, priority: Float = 0.5) {
      self.key = key
      self.fields = fields
      self.priority = priority
    }

    fileprivate var user: [String] { fields.values(for: "Authorization") }
  }

  package enum Role: Sendable, Equatable {
    /// Ask the server, and report what happens.
    case leads(Load)
    /// Wait until the load is released.
    case follows(Load)
    /// Ask the server. Others do not depend on this load.
    case alone
  }

  /// What a load does after it has waited.
  package enum Release: Sendable, Equatable {
    /// Look up the response, and ask the server if it is not found.
    case lookUp
    /// Look up again. If nothing is found, this load may lead or follow.
    case join
    /// Ask the server.
    case alone
  }

  /// How a load that leads has ended.
  package enum End: Sendable, Equatable {
    case stored
    /// Its response cannot answer others.
    case unusable
    /// It was cancelled, or lost its connection. This says nothing about others.
    case failed
  }

  /// What follows after the time for waiting is over.
  package enum Expiry: Sendable, Equatable {
    /// Ask the server.
    case alone
    /// The head has arrived in time. Wait for the end of the response.
    case waitsForEnd
    /// The load was released before.
    case released
  }

  private struct Group: Sendable {
    let leader: Load
    let request: Request
    var followers: [Load: HeaderFields] = [:]
    /// What selects the response, as soon as its head has arrived.
    var selection: VarySelection?
    /// Whether others may still begin to follow.
    var isOpen = true
  }

  private var groups: [CacheKey: Group] = [:]
  private var keys: [Load: CacheKey] = [:]
  private var refusals = LRUCache<CacheKey, Bool>(limit: maximumRefusals)
  private var last: Load = 0

  package init() {}

  /// For tests: nothing may remain after all loads have ended.
  package var isEmpty: Bool { groups.isEmpty && keys.isEmpty }

  /// A load is about to ask the server.
  ///
  /// - Parameter mayLead: Whether its response may be stored.
  package mutating func join(_ request: Request, mayLead: Bool = true) -> Role {
    guard let group = groups[request.key] else {
      guard mayLead else { return .alone }
      let load = number(request.key)
      groups[request.key] = Group(leader: load, request: request)
      return .leads(load)
    }
    guard group.isOpen, group.followers.count < Self.maximumFollowers,
      // A response to one user must not answer another one. An urgent load must not wait for another one.
      group.request.user == request.user, request.priority <= group.request.priority,
      group.selection?.matches(request.fields) != false, refusals.peek(request.key) == nil
    else { return .alone }
    let load = number(request.key)
    groups[request.key]?.followers[load] = request.fields
    return .follows(load)
  }

  private mutating func number(_ key: CacheKey) -> Load {
    last += 1
    keys[last] = key
    return last
  }

  /// The head of a leader's response has arrived.
  ///
  /// - Parameter selection: What selects the response; nil if it cannot answer other requests.
  /// - Returns: The loads that ask the server themselves.
  package mutating func receivedHead(_ leader: Load, selection: VarySelection?) -> [Load] {
    guard let key = keys[leader], var group = groups[key], group.leader == leader else { return [] }
    guard let selection else {
      refuse(key)
      return close(key)
    }
    refusals.remove(key)
    group.selection = selection
    let others = group.followers.filter { !selection.matches($0.value) }.keys.sorted()
    for load in others {
      group.followers[load] = nil
      keys[load] = nil
    }
    groups[key] = group
    return others
  }

  /// The reader of a leader's response does not keep up, so its end may be far away.
  package mutating func stalled(_ leader: Load) -> [Load] {
    guard let key = keys[leader], groups[key]?.leader == leader else { return [] }
    return close(key)
  }

  /// The response to the load that leads may be outdated, because another request has changed the resource. Returns the
  /// loads that ask the server themselves.
  package mutating func invalidate(_ key: CacheKey) -> [Load] { close(key) }

  private mutating func close(_ key: CacheKey) -> [Load] {
    let followers = groups[key]?.followers.keys.sorted() ?? []
    groups[key]?.followers = [:]
    groups[key]?.isOpen = false
    for load in followers { keys[load] = nil }
    return followers
  }

  private mutating func refuse(_ key: CacheKey) { _ = refusals.insert(true, for: key, cost: 1) }

  /// A leader has ended. Further calls have no effect.
  package mutating func ended(_ leader: Load, _ end: End) -> [(load: Load, release: Release)] {
    guard let key = keys[leader], let group = groups[key], group.leader == leader else { return [] }
    let followers = close(key)
    groups[key] = nil
    keys[leader] = nil
    if end == .unusable { refuse(key) }
    let release: Release =
      switch end {
      case .stored: .lookUp
      case .unusable: .alone
      // A part of the body may be stored.
      case .failed: .join
      }
    return followers.map { ($0, release) }
  }

  /// The time in which a follower waits is over.
  ///
  /// - Parameter isFinal: Whether it may not wait for the end of the response either.
  package mutating func expired(_ load: Load, isFinal: Bool) -> Expiry {
    guard let key = keys[load], let group = groups[key], group.followers[load] != nil else {
      return .released
    }
    if !isFinal, group.selection != nil { return .waitsForEnd }
    // The server may hold its response back on purpose. Others do not wait again.
    if group.selection == nil { refuse(key) }
    leave(load)
    return .alone
  }

  /// A follower was cancelled.
  package mutating func leave(_ load: Load) {
    guard let key = keys[load], groups[key]?.followers.removeValue(forKey: load) != nil else { return }
    keys[load] = nil
  }
}
#endif
