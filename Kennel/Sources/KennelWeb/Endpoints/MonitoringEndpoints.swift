import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// Shows whether the site works, and its metrics.
struct MonitoringEndpoints: Sendable {
  let store: KennelStore
  let gate: Gate
  let thumbnails: ThumbnailStore
  let metrics: Metrics
  let clock: KennelClock
  private let counts: CachedCounts

  init(
    store: KennelStore, gate: Gate, thumbnails: ThumbnailStore, metrics: Metrics, clock: KennelClock
  ) {
    self.store = store
    self.gate = gate
    self.thumbnails = thumbnails
    self.metrics = metrics
    self.clock = clock
    counts = CachedCounts(clock: clock) {
      do throws(KennelError) { return .success(try await store.counts()) } catch { return .failure(error) }
    }
  }

  /// Shows that the process answers, also if the database or the store of the photos does not. A process whose database does not
  /// answer is not repaired by a restart.
  func showLiveness() -> HTTPResponse { .json { json in json.object { $0.member("status", "ok") } } }

  /// Shows whether the process can serve people. Without the store of the photos it can, because most of what they see is on this
  /// machine.
  func showHealth(_ call: Call) async throws -> HTTPResponse {
    // A response proves that the database can be read now.
    try await store.touch()
    let counts = try await counts.latest()
    // Programs that watch the server have no account.
    let showsContents = try await gate.isOpen()
    let uptime = clock.now().timeIntervalSince(metrics.start)
    return .json { json in
      json.object { json in
        json.member("status", "ok")
        if showsContents {
          json.member("posts", counts.posts)
          json.member("listeners", store.events.listenerCount)
        }
        json.member("photos", store.blobs.isReachable ? "ok" : "unreachable")
        json.member("uptime", Int64(max(uptime, 0)))
      }
    }
  }

  /// For all who may see the photos: the metrics name no users, and cost no more than a page of posts.
  func showMetrics(_ call: Call) async throws -> HTTPResponse {
    let counts = try await counts.latest()
    let snapshot = metrics.snapshot
    var text = PrometheusText()
    requests(snapshot, &text)
    latencies(snapshot, &text)
    text.family("kennel_posts", .gauge, "Posts in the kennel.")
    text.sample("kennel_posts", is: counts.posts)
    text.family("kennel_comments", .gauge, "Comments in the kennel.")
    text.sample("kennel_comments", is: counts.comments)
    text.family("kennel_favourites", .gauge, "Favourites in the kennel.")
    text.sample("kennel_favourites", is: counts.favourites)
    text.family("kennel_users", .gauge, "User accounts.")
    text.sample("kennel_users", is: counts.users)
    text.family("kennel_photo_bytes", .gauge, "Bytes of the photos.")
    text.sample("kennel_photo_bytes", is: Int(clamping: counts.photoBytes))
    if let space = try await store.space() {
      text.family("kennel_disk_free_bytes", .gauge, "Free bytes on the disk of the photos.")
      text.sample("kennel_disk_free_bytes", is: Int(clamping: space.free))
      text.family("kennel_disk_size_bytes", .gauge, "The size of the disk of the photos in bytes.")
      text.sample("kennel_disk_size_bytes", is: Int(clamping: space.total))
    }
    text.family("kennel_event_listeners", .gauge, "Open streams of events.")
    text.sample("kennel_event_listeners", is: store.events.listenerCount)
    text.family("kennel_last_event_id", .gauge, "The id of the latest event.")
    text.sample("kennel_last_event_id", is: Int(clamping: store.events.lastID))
    thumbnails(&text)
    uploads(snapshot, &text)
    process(&text)
    return HTTPResponse(
      fields: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8", "Cache-Control": "no-store"],
      body: .bytes(Data(text.text.utf8)))
  }

  /// Returns the label of a route by its index, or `none` for requests without a route.
  private func label(_ index: Int) -> (String, String) {
    ("route", index < metrics.routes.count ? metrics.routes[index] : "none")
  }

  private func requests(_ snapshot: Metrics.Snapshot, _ text: inout PrometheusText) {
    text.family("kennel_requests_total", .counter, "Answered requests.")
    for (index, statuses) in snapshot.statuses.enumerated() {
      for (status, count) in statuses.sorted(by: { $0.key < $1.key }) {
        text.sample("kennel_requests_total", [label(index), ("status", String(status))], is: count)
      }
    }
  }

  private func latencies(_ snapshot: Metrics.Snapshot, _ text: inout PrometheusText) {
    let name = "kennel_request_duration_seconds"
    text.family(name, .histogram, "Time until the response started.")
    for (index, latency) in snapshot.latencies.enumerated() where latency.count > 0 {
      var count = 0
      for (bucket, bound) in zip(latency.buckets, Metrics.bounds) {
        count += bucket
        text.sample(name + "_bucket", [label(index), ("le", String(bound))], is: count)
      }
      text.sample(name + "_bucket", [label(index), ("le", "+Inf")], is: latency.count)
      text.sample(name + "_sum", [label(index)], is: latency.seconds)
      text.sample(name + "_count", [label(index)], is: latency.count)
    }
  }

  private func thumbnails(_ text: inout PrometheusText) {
    let counts = thumbnails.counts
    text.family("kennel_thumbnails_total", .counter, "Thumbnails, by source.")
    text.sample("kennel_thumbnails_total", [("source", "memory")], is: counts.fromMemory)
    text.sample("kennel_thumbnails_total", [("source", "disk")], is: counts.fromDisk)
    text.sample("kennel_thumbnails_total", [("source", "made")], is: counts.made)
    let usage = thumbnails.usage
    text.family("kennel_thumbnail_cache_bytes", .gauge, "Bytes of thumbnails on the disk.")
    text.sample("kennel_thumbnail_cache_bytes", is: usage.bytes)
    text.family("kennel_thumbnail_cache_files", .gauge, "Thumbnails on the disk.")
    text.sample("kennel_thumbnail_cache_files", is: usage.files)
  }

  private func uploads(_ snapshot: Metrics.Snapshot, _ text: inout PrometheusText) {
    text.family("kennel_uploads_total", .counter, "Uploaded photos, by result.")
    text.sample(
      "kennel_uploads_total", [("result", "taken")], is: snapshot.events[Metrics.Event.photoTaken.rawValue])
    text.sample(
      "kennel_uploads_total", [("result", "refused")],
      is: snapshot.events[Metrics.Event.photoRefused.rawValue])
    text.family("kennel_quota_refusals_total", .counter, "Uploads that were refused because of a quota.")
    text.sample(
      "kennel_quota_refusals_total", is: snapshot.events[Metrics.Event.quotaExceeded.rawValue])
    text.family("kennel_upload_bytes_total", .counter, "Bytes of accepted photos.")
    text.sample("kennel_upload_bytes_total", is: snapshot.photoBytes)
    text.family("kennel_sign_ins_total", .counter, "Sign-in attempts with a name and a password, by result.")
    text.sample(
      "kennel_sign_ins_total", [("result", "accepted")],
      is: snapshot.events[Metrics.Event.signInAccepted.rawValue])
    text.sample(
      "kennel_sign_ins_total", [("result", "refused")],
      is: snapshot.events[Metrics.Event.signInRefused.rawValue])
  }

  private func process(_ text: inout PrometheusText) {
    text.family("process_start_time_seconds", .gauge, "Start time of the site, in Unix time.")
    text.sample("process_start_time_seconds", is: metrics.start.timeIntervalSince1970)
  }
}
