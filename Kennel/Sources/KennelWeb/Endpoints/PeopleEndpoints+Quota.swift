import HTTPService
import KennelModel

extension PeopleEndpoints {
  /// Changes how much the photos of a person may take. Programs send the quota as text, and the form a choice and a size.
  func changeQuota(_ call: Call) async throws -> HTTPResponse {
    let form = try await SmallForm(call.request, example: #"{"quota":"20GB"}, "none" or "default""#)
    let user = try await user(call)
    let choice = try form.required("quota")
    let text = choice == "size" ? form["size"] ?? "" : choice
    let quota: Quota?
    if text.lowercased() == "default" {
      quota = nil
    } else if !Self.isAmbiguous(text), let known = Quota(text.replacing(",", with: ".")) {
      quota = known
    } else {
      let problem = Problem(
        .unprocessableContent, "The size is not valid. Use a number with a unit, such as 20 GB or 500 MB.")
      guard form.isFromPage else { throw problem }
      let words = try await pages(for: visitors.user(of: call), call).words
      let sentence = words.problems.sentence(problem.detail, problem.status.rawValue)
      return try await page(
        of: user, call, FormEntry(values: ["size": text], errors: ["size": sentence], isProblem: true),
        status: problem.status)
    }
    try await store.quotas.set(quota, of: user.id)
    return end(call, at: "/people/\(user.id)?done=quota")
  }

  /// Whether a number could have a separator of thousands: 1,000 is a thousand in English, and one in German.
  private static func isAmbiguous(_ text: String) -> Bool {
    text.contains(/[0-9][.,][0-9]{3}(?![0-9])/)
  }
}
