import Foundation
import TestSupport

/// Fails the case with `reason` unless `condition` holds.
func expect(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
  if !condition { throw CaseFailure(reason: reason()) }
}

/// Fails the case unless the outcome is a response with this status (and this body).
func expectResponse(
  _ outcome: ExchangeOutcome, _ status: Int = 200, text: String? = nil, after what: String = ""
) throws {
  let context = what.isEmpty ? "" : " \(what)"
  try expect(
    outcome.failure == nil && outcome.status == status,
    "Expected status \(status)\(context), got \(describe(outcome)).")
  if let text {
    try expect(
      outcome.text == text,
      "Expected the body “\(abbreviate(text))”\(context), got “\(abbreviate(outcome.text))”.")
  }
}

/// Fails the case unless the outcome is a `URLError` with one of these codes, in time.
func expectFailure(
  _ outcome: ExchangeOutcome, _ codes: URLError.Code..., within limit: Duration = .seconds(3)
) throws {
  let expected = codes.map { "\($0.rawValue)" }.joined(separator: " or ")
  guard case .url(let code) = outcome.failure, codes.contains(where: { $0.rawValue == code }) else {
    throw CaseFailure(reason: "Expected URLError \(expected), got \(describe(outcome)).")
  }
  try expect(outcome.elapsed < limit, "The error took \(outcome.elapsed), more than \(limit).")
}

/// Fails the case unless the outcome is one of these errors or a response that `accepts` returns true for.
func expectFailure(
  _ outcome: ExchangeOutcome, _ codes: URLError.Code..., or what: String,
  within limit: Duration = .seconds(3), accepts: (ExchangeOutcome) -> Bool
) throws {
  let expected = codes.map { "\($0.rawValue)" }.joined(separator: ", ")
  let isListed =
    if case .url(let code) = outcome.failure { codes.contains { $0.rawValue == code } } else { false }
  try expect(
    isListed || (outcome.failure == nil && accepts(outcome)),
    "Expected URLError \(expected) or \(what), got \(describe(outcome)).")
  try expect(outcome.elapsed < limit, "It took \(outcome.elapsed), more than \(limit).")
}

func describe(_ outcome: ExchangeOutcome) -> String {
  if let failure = outcome.failure { return failure.description }
  guard let status = outcome.status else { return "neither a response nor an error" }
  return "status \(status) with \(outcome.body.count) bytes"
}

func abbreviate(_ text: String) -> String {
  text.count > 60 ? "\(text.prefix(60))… (\(text.utf8.count) bytes)" : text
}

/// Expects an error for a malformed HTTP response. Apple does not document which code to use.
func expectProtocolError(_ outcome: ExchangeOutcome, within limit: Duration = .seconds(3)) throws {
  try expectFailure(
    outcome, .cannotParseResponse, .badServerResponse, .networkConnectionLost, within: limit)
}
