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
  func response(to problem: Problem, _ request: HTTPRequest, isPage: Bool) async -> HTTPResponse {
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
      viewer: await visitors.viewer(ofProblem: request))
    problem.fields["Content-Security-Policy"] = PageRenderer.contentSecurityPolicy
    problem.fields["Vary"] = "Accept, Cookie"
    return problem.response(contentType: "text/html; charset=utf-8", body: Data(page.utf8))
  }
}
