import Foundation
import HTTPService

/// Makes the responses to requests that failed.
struct ProblemResponses: Sendable {
  let visitors: Visitors
  let renderer: PageRenderer

  /// Turns a failed condition or range of a representation into a problem document.
  func refined(_ answer: HTTPResponse, _ request: HTTPRequest, isPage: Bool) async -> HTTPResponse {
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

  /// Returns a problem document, or an HTML page for a browser.
  ///
  /// - Parameter isForLink: whether the request was made with a secret link. Its page leads nowhere else.
  func response(
    to problem: Problem, _ request: HTTPRequest, isPage: Bool, isForLink: Bool = false
  ) async -> HTTPResponse {
    var problem = problem
    let showsPage =
      isPage && AcceptedTypes(request.fields).prefers("text/html", to: "application/problem+json")
    if problem.status == .unauthorized {
      // With a Basic challenge, a browser would show its own password dialog over the page with the form, and for
      // requests of scripts.
      let isBrowser = showsPage || request.isOfBrowser
      problem.fields["WWW-Authenticate"] =
        isBrowser ? "Session realm=\"Kennel\"" : "Basic realm=\"Kennel\""
    }
    let viewer = showsPage && !isForLink ? await visitors.viewer(ofProblem: request) : nil
    let language =
      showsPage
      ? visitors.languages.language(for: request, viewer: viewer)
      : visitors.languages.languageOfErrors(for: request)
    problem = problem.translated(to: Words.of(language))
    guard showsPage else {
      problem.fields["Vary"] = LanguageChoice.vary
      return problem.response
    }
    let renderer = renderer.speaking(language)
    if isForLink {
      let page = renderer.linkProblem(title: problem.title, detail: problem.detail)
      problem.fields["Content-Security-Policy"] = LinkPage.contentSecurityPolicy
      problem.fields["Vary"] = "Accept, \(LanguageChoice.vary)"
      return problem.response(contentType: "text/html; charset=utf-8", body: Data(page.utf8))
    }
    let page =
      problem.status == .unauthorized
      ? await signIn(problem, request, renderer)
      : renderer.problem(
        status: problem.status.rawValue, title: problem.title, detail: problem.detail,
        viewer: viewer)
    problem.fields["Content-Security-Policy"] = PageRenderer.contentSecurityPolicy
    problem.fields["Vary"] = "Accept, Cookie, \(LanguageChoice.vary)"
    return problem.response(contentType: "text/html; charset=utf-8", body: Data(page.utf8))
  }

  /// Returns the page with which a visitor signs in, or an explanation if nobody can, because there are no accounts.
  private func signIn(
    _ problem: Problem, _ request: HTTPRequest, _ renderer: PageRenderer
  ) async -> String {
    if (try? await visitors.accounts.hasUsers()) == false { return renderer.noAccounts() }
    return renderer.signIn(reason: problem.detail, next: ReturnAddress(request))
  }
}
