import Foundation
import KennelLoad
import Retriever

/// One person, who does one action after the other.
struct Person: Sendable {
  let number: Int
  let client: KennelClient
  /// The posts to look at, give hearts to and comment on. It is not empty.
  let posts: [Int64]
  /// The photos to upload; nil if nobody uploads.
  let photos: PhotoSource?
  private(set) var tallies: [ActionKind: ActionTally] = [:]
  private(set) var hearts: HeartLedger
  /// The comments that the server accepted.
  private(set) var comments: [Int64] = []
  /// The posts that the server accepted.
  private(set) var uploads: [Int64] = []
  /// The entity tags of thumbnails that the person has, by post.
  private var tags: [Int64: String] = [:]

  init(number: Int, client: KennelClient, posts: [Int64], photos: PhotoSource?, hearts: HeartLedger) {
    (self.number, self.client, self.posts, self.photos) = (number, client, posts, photos)
    self.hearts = hearts
  }

  /// Acts until a time, or until the load is to end.
  mutating func act(_ options: LoadOptions, from start: ContinuousClock.Instant, stop: StopSignal)
    async throws
  {
    let end = start + .seconds(options.seconds)
    var plan = ActionPlan(seed: options.seed, person: number, mix: options.mix)
    let schedule = options.rate.map { ActionSchedule(rate: $0, person: number, people: options.people) }
    var count = 0
    while count < options.actions, !stop.isStopped, let action = plan.next() {
      var intended = ContinuousClock.now
      if let schedule {
        intended = start + schedule.start(of: count)
        guard intended < end else { return }
        try await stop.wait(until: intended)
      }
      guard ContinuousClock.now < end, !stop.isStopped else { return }
      await perform(action, count, intended)
      count += 1
    }
  }

  private mutating func perform(
    _ action: PlannedAction, _ count: Int, _ intended: ContinuousClock.Instant
  ) async {
    let post = posts[action.index(in: posts.count)]
    do {
      let answer: KennelClient.Answer
      switch action.kind {
      case .page: answer = try await client.send("GET", "/")
      case .list: answer = try await client.send("GET", "/posts?limit=50")
      case .thumbnail: answer = try await thumbnail(of: post, isKnown: false)
      case .unchanged: answer = try await thumbnail(of: post, isKnown: true)
      case .heart:
        answer = try await client.send(action.isGiven ? "PUT" : "DELETE", "/posts/\(post)/favourite")
      case .comment:
        answer = try await client.send("POST", "/posts/\(post)/comments", json: ["text": "Sit! \(count)"])
      case .upload: answer = try await upload(count)
      }
      tallies[action.kind, default: ActionTally()].record(
        status: answer.status, time: ContinuousClock.now - intended)
      keep(action, post, answer)
    } catch {
      let text = (error as? URLError).map { "URLError \($0.code.rawValue)" } ?? "\(type(of: error))"
      tallies[action.kind, default: ActionTally()].record(
        failure: text, time: ContinuousClock.now - intended)
      if action.kind == .heart { hearts.change(post, person: number, isGiven: nil) }
    }
  }

  private func thumbnail(of post: Int64, isKnown: Bool) async throws -> KennelClient.Answer {
    let fields = isKnown ? tags[post].map { ["If-None-Match": $0] } ?? [:] : [:]
    return try await client.send("GET", "/posts/\(post)/thumbnail?size=320", fields)
  }

  private func upload(_ count: Int) async throws -> KennelClient.Answer {
    try await client.send(
      "POST", "/posts?caption=Load", ["Content-Type": "image/jpeg"],
      body: photos?.photo(person: number, action: count))
  }

  /// Remembers what an answer states.
  private mutating func keep(_ action: PlannedAction, _ post: Int64, _ answer: KennelClient.Answer) {
    struct Identified: Decodable { var id: Int64 }
    struct Favourite: Decodable { var isFavourite: Bool }
    switch action.kind {
    case .thumbnail, .unchanged:
      if let tag = answer.fields["ETag"] { tags[post] = tag }
    case .heart:
      if (200..<300).contains(answer.status) {
        let favourite = try? answer.value(Favourite.self)
        hearts.change(post, person: number, isGiven: favourite?.isFavourite)
      } else if answer.status >= 500 {
        hearts.change(post, person: number, isGiven: nil)
      }
    case .comment:
      if answer.status == 201, let new = try? answer.value(Identified.self) { comments.append(new.id) }
    case .upload:
      if answer.status == 201, let new = try? answer.value(Identified.self) { uploads.append(new.id) }
    case .page, .list: break
    }
  }
}
