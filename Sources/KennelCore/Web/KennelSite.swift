import Foundation
import HTTPService

/// The web face of a kennel: answers each request, and never throws.
package final class KennelSite: Sendable {
  /// How a site behaves.
  package struct Configuration: Sendable {
    /// The name on its pages.
    package var title = "Kennel"
    /// Bytes of thumbnails on the disk.
    package var thumbnailCacheSize = 512 << 20
    /// Bytes of thumbnails in memory.
    package var thumbnailMemorySize = 64 << 20
    /// How often a listener to events hears that the line is open.
    package var heartbeat = Duration.seconds(15)
    /// Whether all clients come through TLS, although this server does not see it.
    package var isBehindTLS = false
    /// The addresses of proxies whose `X-Forwarded-…` fields are believed; `unix` for those on a Unix socket.
    package var trustedProxies: Set<String> = []
    /// The names under which it may be asked for without TLS.
    package var hosts = AllowedHosts.ofThisMachine()
    /// Told of what only the owner can mend; the client is told nothing of it.
    package var onError: (@Sendable (_ error: any Error, _ path: String) -> Void)?

    package init() {}
  }

  /// What a server's limit for bodies is to be at least, so that the site can say itself what is too large.
  package static let bodySizeLimit = Int64(4 * PhotoInspector.byteLimit)

  let store: KennelStore
  let configuration: Configuration
  let clock: KennelClock
  let renderer: PageRenderer
  let thumbnails: ThumbnailStore
  let metrics: Metrics
  let counts: KeptCounts
  let pulse: Pulse
  let eventText = EventText()
  let collages = Turnstile("collages", passes: 2, waitingLimit: 32)

  /// - Parameters:
  ///   - directory: the data directory; thumbnails are kept in `thumbnails` there.
  ///   - clock: what is written down and measured.
  ///   - timer: what heartbeats wait with.
  /// - Throws: what the disk says of the directory.
  package init(
    store: KennelStore, directory: String, configuration: Configuration = Configuration(),
    clock: KennelClock = .system, timer: any Clock<Duration> = ContinuousClock()
  ) throws(KennelError) {
    self.store = store
    self.configuration = configuration
    self.clock = clock
    renderer = PageRenderer(title: configuration.title)
    thumbnails = try ThumbnailStore(
      directory: directory + "/thumbnails", store: store, diskLimit: configuration.thumbnailCacheSize,
      memoryLimit: configuration.thumbnailMemorySize, clock: clock)
    pulse = Pulse(interval: configuration.heartbeat, timer: timer)
    counts = KeptCounts(clock: clock) {
      do throws(KennelError) { return .success(try await store.counts()) } catch { return .failure(error) }
    }
    metrics = Metrics(routes: Self.router.routes.map { "\($0.method) \($0.name)" }, start: clock.now())
  }

  /// Answers a request; every error is a problem document, or a page where people look at pages.
  package func respond(to request: HTTPRequest) async -> HTTPResponse {
    let start = clock.uptime()
    let (route, answer) = await answer(request)
    var response = answer
    CommonFields.add(to: &response.fields)
    metrics.record(route: route, status: response.status.rawValue, took: clock.uptime() - start)
    return response
  }

  /// Lets go of what waits, and of what is on its way to the disk.
  package func close() async {
    pulse.close()
    await thumbnails.close()
  }

  /// The answer to what a server refuses by itself: a problem document as well.
  package static func response(to refusal: HTTPRefusal) -> HTTPResponse {
    var response = Problem(refusal).response
    CommonFields.add(to: &response.fields)
    return response
  }

  private func answer(_ request: HTTPRequest) async -> (route: Int?, HTTPResponse) {
    do throws(Problem) {
      try refuseStrange(request)
    } catch {
      // No page, whoever asks: one would have the kennel's title on it, and a form to sign in.
      return (nil, error.response)
    }
    switch Self.router.find(request) {
    case .nothing: return (nil, await response(to: Problem.notFound, request, isPage: true))
    case .wrongMethod(let allowed, let isPage):
      return (nil, await response(to: Problem.methodNotAllowed(allowed: allowed), request, isPage: isPage))
    case .route(let route, let index, let call):
      do {
        if request.method != .get, request.method != .head { try refuseForeign(request) }
        return (index, await refined(try await route.handler(self, call), request, isPage: route.isPage))
      } catch {
        if Problem.isFault(error) { configuration.onError?(error, route.name) }
        return (index, await response(to: Problem(error), request, isPage: route.isPage))
      }
    }
  }

  private func refuseForeign(_ request: HTTPRequest) throws(Problem) {
    let client = Client(request, configuration: configuration)
    guard OriginCheck.isForeign(request, client: client) else { return }
    throw Problem(.forbidden, "Another site has sent this. Do it on Kennel's own page.")
  }

  /// What a representation says of a condition or a range, as a problem document too.
  private func refined(_ answer: HTTPResponse, _ request: HTTPRequest, isPage: Bool) async -> HTTPResponse {
    switch answer.status {
    case .preconditionFailed:
      let problem = Problem(
        .preconditionFailed, "It is not in the state that the request presumes. Ask for it anew.")
      return await response(to: problem, request, isPage: isPage)
    case .rangeNotSatisfiable:
      var problem = Problem(.rangeNotSatisfiable, "It has no such bytes. Ask for others, or for all.")
      problem.fields["Content-Range"] = answer.fields["Content-Range"]
      return await response(to: problem, request, isPage: isPage)
    default: return answer
    }
  }

  private func response(to problem: Problem, _ request: HTTPRequest, isPage: Bool) async -> HTTPResponse {
    var problem = problem
    if problem.status == .unauthorized {
      // A browser would ask for a password in a window of its own although a script of the page has asked.
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
