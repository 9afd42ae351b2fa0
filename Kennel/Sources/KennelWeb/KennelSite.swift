import Foundation
import HTTPService
import KennelModel
import KennelStorage

/// The web site of a kennel. It responds to each request and never throws.
package final class KennelSite: Sendable {
  /// The configuration of a site.
  package struct Configuration: Sendable {
    /// The name that the pages show.
    package var title = "Kennel"
    /// The language for visitors whose browser prefers none that the pages have.
    package var language = Language.english
    /// The maximum size of the thumbnails on the disk, in bytes.
    package var thumbnailCacheSize = 512 << 20
    /// The maximum size of the thumbnails in memory, in bytes.
    package var thumbnailMemorySize = 64 << 20
    /// The interval at which event listeners receive a heartbeat.
    package var heartbeat = Duration.seconds(15)
    /// Whether everyone may see the photos, also if the owner decided otherwise.
    package var isOpenToEveryone = false
    /// Whether `Authorization` fields belong to a proxy in front of the server, and are ignored.
    package var ignoresAuthorization = false
    /// Whether all clients connect through a TLS proxy, so that this server does not see TLS itself.
    package var isBehindTLS = false
    /// Whether the pages have a service worker. Otherwise, the one that a browser has is removed.
    package var hasServiceWorker = true
    /// The addresses of proxies whose `X-Forwarded-…` fields are trusted; `unix` stands for those on a Unix socket.
    package var trustedProxies: Set<String> = []
    /// The field in which trusted proxies name the user whom they have signed in, or nil if they sign in nobody.
    package var trustedUserField: String?
    /// The host names that are accepted without TLS.
    package var hosts = AllowedHosts.ofThisMachine()
    /// Called with errors that only the owner can fix. The client receives no details of them.
    package var onError: (@Sendable (_ error: any Error, _ path: String) -> Void)?

    package init() {}
  }

  /// The maximum body size to set for the server. It is above the site's own limits, so that the site itself can report
  /// that a body is too large.
  ///
  /// - Parameter video: the maximum size of a video (default: that of a new kennel).
  package static func maximumBodySize(video: Int? = nil) -> Int64 {
    let video = Int64(video ?? PhotoLimits.defaultMaximumVideoSize)
    let margin = Int64(4 * PhotoInspector.maximumByteCount)
    return video > .max - margin ? .max : video + margin
  }

  let policy: RequestPolicy
  private let gate: Gate
  let thumbnails: ThumbnailStore
  let heartbeatTimer: HeartbeatTimer
  let endpoints: Endpoints
  private let problems: ProblemResponses
  private let metrics: Metrics
  private let clock: KennelClock
  private let onError: (@Sendable (_ error: any Error, _ path: String) -> Void)?

  /// - Parameters:
  ///   - directory: the data directory. Thumbnails are stored in its subdirectory `thumbnails`.
  ///   - clock: the clock for stored dates and time-outs.
  ///   - timer: the clock that schedules heartbeats.
  /// - Throws: an error of the file system for the directory.
  package init(
    store: KennelStore, directory: String, configuration: Configuration = Configuration(),
    clock: KennelClock = .system, timer: any Clock<Duration> = ContinuousClock()
  ) throws(KennelError) {
    self.clock = clock
    onError = configuration.onError
    policy = RequestPolicy(
      hosts: configuration.hosts,
      proxies: TrustedProxies(
        addresses: configuration.trustedProxies, isBehindTLS: configuration.isBehindTLS,
        userField: configuration.trustedUserField))
    thumbnails = try ThumbnailStore(
      directory: directory + "/thumbnails", store: store, maximumDiskSize: configuration.thumbnailCacheSize,
      maximumMemorySize: configuration.thumbnailMemorySize, clock: clock)
    heartbeatTimer = HeartbeatTimer(interval: configuration.heartbeat, timer: timer)
    metrics = Metrics(routes: Endpoints.router.routes.map { "\($0.method) \($0.name)" }, start: clock.now())
    let visitors = Visitors(
      accounts: store.accounts, policy: policy, metrics: metrics,
      ignoresAuthorization: configuration.ignoresAuthorization,
      languages: LanguageChoice(standard: configuration.language))
    let gate = Gate(
      store: store, visitors: visitors, guesses: store.guessLimiter("link"),
      feedGuesses: store.guessLimiter("feed"), clock: clock,
      isForcedOpen: configuration.isOpenToEveryone)
    self.gate = gate
    let renderer = PageRenderer(
      title: configuration.title, hasWorker: configuration.hasServiceWorker,
      acceptsVideos: store.photos.limits.video > 0)
    problems = ProblemResponses(visitors: visitors, renderer: renderer)
    let responses = VersionedResponses(
      versions: store.versions,
      tags: PageTags(key: store.key.derived(for: "page tags"), title: configuration.title))
    let sessions = SessionEndpoints(accounts: store.accounts, visitors: visitors, clock: clock)
    let accountPages = AccountPages(site: configuration.title)
    let address = KennelAddress(store: store, policy: policy)
    let pages = PageEndpoints(
      store: store, visitors: visitors, renderer: renderer, address: address, responses: responses)
    let posts = PostEndpoints(
      store: store, visitors: visitors, metrics: metrics, responses: responses, markup: renderer.markup)
    let pictures = PictureEndpoints(store: store, thumbnails: thumbnails)
    endpoints = Endpoints(
      pages: pages, finding: FindingEndpoints(posts: store.posts, pages: pages, lists: posts), posts: posts,
      uploads: UploadEndpoints(store: store, visitors: visitors, metrics: metrics),
      ownPhotos: OwnPhotoEndpoints(store: store, visitors: visitors, thumbnails: thumbnails),
      links: LinkEndpoints(
        store: store, visitors: visitors, renderer: renderer, address: address, clock: clock),
      visibility: VisibilityEndpoints(store: store, isForcedOpen: configuration.isOpenToEveryone),
      edits: EditEndpoints(store: store, visitors: visitors),
      months: MonthEndpoints(posts: store.posts, visitors: visitors, responses: responses),
      bin: BinEndpoints(
        posts: store.posts, visitors: visitors, thumbnails: thumbnails, renderer: renderer),
      albums: AlbumEndpoints(
        store: store, visitors: visitors, renderer: renderer, responses: responses),
      archives: AlbumArchiveEndpoints(store: store, gate: gate),
      comments: CommentEndpoints(posts: store.posts, visitors: visitors),
      pictures: pictures,
      collages: CollageEndpoints(posts: store.posts, thumbnails: thumbnails, policy: policy),
      sessions: sessions,
      joining: JoinEndpoints(accounts: store.accounts, sessions: sessions, pages: accountPages),
      you: YouEndpoints(
        quotas: store.quotas, photos: store.photos, accounts: store.accounts, sessions: sessions,
        pages: accountPages),
      people: PeopleEndpoints(store: store, visitors: visitors, address: address, pages: accountPages),
      feeds: FeedEndpoints(
        store: store, visitors: visitors, address: address, responses: responses, pictures: pictures,
        pages: accountPages),
      events: EventEndpoints(
        events: store.events, gate: gate, heartbeatTimer: heartbeatTimer),
      monitoring: MonitoringEndpoints(
        store: store, gate: gate, thumbnails: thumbnails, metrics: metrics, clock: clock))
  }

  /// Responds to a request. An error becomes a problem document, or an HTML page for routes that browsers display.
  package func respond(to request: HTTPRequest) async -> HTTPResponse {
    let start = clock.uptime()
    let (route, answer) = await answer(request)
    var response = answer
    CommonFields.add(to: &response.fields)
    metrics.record(route: route, status: response.status.rawValue, took: clock.uptime() - start)
    return response
  }

  /// Ends waiting listeners and completes thumbnail writes.
  package func close() async {
    heartbeatTimer.close()
    await thumbnails.close()
  }

  /// Returns the response to a request that the server refuses by itself. It is a problem document as well.
  package static func response(to refusal: HTTPRefusal) -> HTTPResponse {
    var response = Problem(refusal).response
    CommonFields.add(to: &response.fields)
    return response
  }

  /// Returns a path for logs, without the secret that it may contain.
  ///
  /// - Parameter path: the path as received, percent-encoded.
  package static func loggedPath(_ path: String) -> String { Endpoints.router.pathWithoutSecrets(path) }

  private func answer(_ request: HTTPRequest) async -> (route: Int?, HTTPResponse) {
    do throws(Problem) {
      try policy.refuseUnknownHost(request)
    } catch {
      // Never an HTML page: it would show the kennel's title and a sign-in form to a foreign site.
      return (nil, error.response)
    }
    switch Endpoints.router.find(request) {
    case .nothing: return (nil, await problems.response(to: Problem.notFound, request, isPage: true))
    case .wrongMethod(let allowed, let isPage):
      return (
        nil, await problems.response(to: Problem.methodNotAllowed(allowed: allowed), request, isPage: isPage)
      )
    case .route(let route, let index, var call):
      do {
        try policy.refuseCrossSite(request)
        try await gate.admit(&call, to: route.access)
        gate.admitAgainAtEnd(of: &call, to: route.access)
        var answer = try await route.handler(endpoints, call)
        if !call.isOpenToEveryone { CacheControl.makePrivate(&answer.fields) }
        answer = await problems.refined(answer, request, isPage: route.isPage)
        return (index, Self.withoutReferrer(answer, call, route.access))
      } catch {
        if Problem.isFault(error) { onError?(error, route.name) }
        let answer = await problems.response(
          to: Problem(error), request, isPage: route.isPage, isForLink: route.access.needsLink)
        return (index, Self.withoutReferrer(answer, call, route.access))
      }
    }
  }

  /// Keeps the address of a page with a secret out of the requests that the page makes. With `no-referrer`, browsers would not
  /// name the origin of its form either, which is compared without TLS (``OriginCheck``). The page of a photo has no form.
  private static func withoutReferrer(_ answer: HTTPResponse, _ call: Call, _ access: Access) -> HTTPResponse
  {
    if call.secret.isEmpty { return answer }
    var answer = answer
    if access.needsLink || access == .feedReaders {
      LinkFields.add(to: &answer.fields)
    } else {
      answer.fields["Referrer-Policy"] = "strict-origin"
    }
    return answer
  }
}
