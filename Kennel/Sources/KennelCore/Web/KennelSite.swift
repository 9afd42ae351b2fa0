import Foundation
import HTTPService

/// The web site of a kennel. It responds to each request and never throws.
package final class KennelSite: Sendable {
  /// The configuration of a site.
  package struct Configuration: Sendable {
    /// The name that the pages show.
    package var title = "Kennel"
    /// The maximum size of the thumbnails on the disk, in bytes.
    package var thumbnailCacheSize = 512 << 20
    /// The maximum size of the thumbnails in memory, in bytes.
    package var thumbnailMemorySize = 64 << 20
    /// The interval at which event listeners receive a heartbeat.
    package var heartbeat = Duration.seconds(15)
    /// Whether all clients connect through a TLS proxy, so that this server does not see TLS itself.
    package var isBehindTLS = false
    /// The addresses of proxies whose `X-Forwarded-…` fields are trusted; `unix` stands for those on a Unix socket.
    package var trustedProxies: Set<String> = []
    /// The host names that are accepted without TLS.
    package var hosts = AllowedHosts.ofThisMachine()
    /// Called with errors that only the owner can fix. The client receives no details of them.
    package var onError: (@Sendable (_ error: any Error, _ path: String) -> Void)?

    package init() {}
  }

  /// The maximum body size to set for the server. It is above the site's own limits, so that the site itself can report
  /// that a body is too large.
  package static let maximumBodySize = Int64(4 * PhotoInspector.maximumByteCount)

  let store: KennelStore
  let configuration: Configuration
  let clock: KennelClock
  let renderer: PageRenderer
  let thumbnails: ThumbnailStore
  let metrics: Metrics
  let counts: CachedCounts
  let heartbeatTimer: HeartbeatTimer
  let eventEncoder = EventEncoder()
  let collageSemaphore = AsyncSemaphore("collages", permits: 2, maximumWaitingCount: 32)

  /// - Parameters:
  ///   - directory: the data directory. Thumbnails are stored in its subdirectory `thumbnails`.
  ///   - clock: the clock for stored dates and time-outs.
  ///   - timer: the clock that schedules heartbeats.
  /// - Throws: an error of the file system for the directory.
  package init(
    store: KennelStore, directory: String, configuration: Configuration = Configuration(),
    clock: KennelClock = .system, timer: any Clock<Duration> = ContinuousClock()
  ) throws(KennelError) {
    self.store = store
    self.configuration = configuration
    self.clock = clock
    renderer = PageRenderer(title: configuration.title)
    thumbnails = try ThumbnailStore(
      directory: directory + "/thumbnails", store: store, maximumDiskSize: configuration.thumbnailCacheSize,
      maximumMemorySize: configuration.thumbnailMemorySize, clock: clock)
    heartbeatTimer = HeartbeatTimer(interval: configuration.heartbeat, timer: timer)
    counts = CachedCounts(clock: clock) {
      do throws(KennelError) { return .success(try await store.counts()) } catch { return .failure(error) }
    }
    metrics = Metrics(routes: Self.router.routes.map { "\($0.method) \($0.name)" }, start: clock.now())
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

  private func answer(_ request: HTTPRequest) async -> (route: Int?, HTTPResponse) {
    do throws(Problem) {
      try refuseUnknownHost(request)
    } catch {
      // Never an HTML page: it would show the kennel's title and a sign-in form to a foreign site.
      return (nil, error.response)
    }
    switch Self.router.find(request) {
    case .nothing: return (nil, await response(to: Problem.notFound, request, isPage: true))
    case .wrongMethod(let allowed, let isPage):
      return (nil, await response(to: Problem.methodNotAllowed(allowed: allowed), request, isPage: isPage))
    case .route(let route, let index, let call):
      do {
        if request.method != .get, request.method != .head { try refuseCrossSite(request) }
        return (index, await refined(try await route.handler(self, call), request, isPage: route.isPage))
      } catch {
        if Problem.isFault(error) { configuration.onError?(error, route.name) }
        return (index, await response(to: Problem(error), request, isPage: route.isPage))
      }
    }
  }

  private func refuseCrossSite(_ request: HTTPRequest) throws(Problem) {
    let client = Client(request, configuration: configuration)
    guard OriginCheck.isCrossSite(request, client: client) else { return }
    throw Problem(.forbidden, "The request comes from another site. Repeat the action on Kennel's own page.")
  }

  /// Turns a failed condition or range of a representation into a problem document.
  private func refined(_ answer: HTTPResponse, _ request: HTTPRequest, isPage: Bool) async -> HTTPResponse {
    switch answer.status {
    case .preconditionFailed:
      let problem = Problem(
        .preconditionFailed, "The resource is not in the state that the request expects. Load it again.")
      return await response(to: problem, request, isPage: isPage)
    case .rangeNotSatisfiable:
      var problem = Problem(
        .rangeNotSatisfiable, "The requested byte range does not exist. Request another range, or no range.")
      problem.fields["Content-Range"] = answer.fields["Content-Range"]
      return await response(to: problem, request, isPage: isPage)
    default: return answer
    }
  }

  private func response(to problem: Problem, _ request: HTTPRequest, isPage: Bool) async -> HTTPResponse {
    var problem = problem
    if problem.status == .unauthorized {
      // With a Basic challenge, a browser would show its own password dialog even if a script made the request.
      let isScript = request.fields["Sec-Fetch-Mode"].map { $0 != "navigate" } ?? false
      problem.fields["WWW-Authenticate"] =
        isScript ? "Session realm=\"Kennel\"" : "Basic realm=\"Kennel\""
    }
    guard isPage, AcceptedTypes(request.fields).prefers("text/html", to: "application/problem+json") else {
      return problem.response
    }
    let page = renderer.problem(
      status: problem.status.rawValue, title: problem.title, detail: problem.detail,
      viewer: await viewer(ofProblem: request))
    problem.fields["Content-Security-Policy"] = PageRenderer.contentSecurityPolicy
    problem.fields["Vary"] = "Accept, Cookie"
    return problem.response(contentType: "text/html; charset=utf-8", body: Data(page.utf8))
  }
}
