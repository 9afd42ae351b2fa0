/// What we think of a kind of difference, in a word and a sentence.
struct Judgement: Sendable {
  /// The beginning of the identifiers of the replies that it is about.
  var replies: String
  var difference: Difference
  var word: String
  var reason: String

  init(_ replies: String, _ difference: Difference, _ word: String, _ reason: String) {
    (self.replies, self.difference, self.word, self.reason) = (replies, difference, word, reason)
  }

  func applies(to reply: RawReply, _ difference: Difference) -> Bool {
    difference == self.difference && reply.identifier.hasPrefix(replies)
  }

  /// The first that applies counts. A difference without one makes the run fail.
  static let all = heads + framing + bodies

  private static let heads: [Judgement] = [
    Judgement("cut: ", .refusedHere, "stricter", "A connection that ends within the head gives no response."),
    Judgement("interim alone: ", .refusedHere, "stricter", "An interim response is not the response."),
    Judgement("interim: ", .refusedHere, "stricter", "Interim responses are limited to a few."),
    Judgement(
      "interim: ", .fields, "other listing", "After 101 curl lists the fields of the next head only."),
    Judgement(
      "status line: ", .refusedHere, "stricter", "RFC 9112, 4 has one blank, and none within the version."),
    Judgement("field: X-A : b", .fields, "repaired", "The blank before the colon is not part of the name."),
    Judgement("field: X-A␉: b", .fields, "repaired", "The blank before the colon is not part of the name."),
    Judgement(
      "field: Content-Length : 5", .fields, "repaired", "The blank before the colon is not part of the name."),
    Judgement("field: :", .fields, "repaired", "A field without a name is left out."),
    Judgement("field: X-A: b␍␊␉c", .fields, "repaired", "A fold is one blank (RFC 9112, 5.2)."),
    Judgement(
      "field: X-A: b␍␊X-B: c␍␊X-A: d", .fields, "other listing", "curl 7.88 leaves one field out of its list."
    ),
    Judgement("control character: 0d", .fields, "repaired", "A CR alone is a blank (RFC 9112, 2.2)."),
    Judgement(
      "control character: ", .fields, "other listing", "curl trims more characters than blank and tab."),
    Judgement("line end: ", .fields, "repaired", "A CR alone is a blank (RFC 9112, 2.2)."),
  ]

  private static let framing: [Judgement] = [
    Judgement(
      "length: ", .refusedHere, "stricter", "A length of more digits than an integer has is refused."),
    Judgement("length: ", .error, "same error, other code", "The length is refused before the body is cut."),
    Judgement(
      "length twice: ", .refusedHere, "stricter",
      "Two lengths that are not the same text are refused (RFC 9112, 6.3)."),
    Judgement(
      "length twice: ", .error, "same error, other code", "The lengths are refused before the body is cut."),
    Judgement(
      "no body: ", .error, "same error, other code", "The lengths are refused before the body is cut."),
    Judgement(
      "no body", .refusedHere, "stricter", "Two different lengths are refused even where no body follows."),
    Judgement(
      "transfer coding: blank before the colon", .fields, "repaired",
      "The blank before the colon is not part of the name."),
    Judgement("transfer coding: ", .error, "same error, other code", otherCodings),
    Judgement("coding and length: ", .error, "same error, other code", otherCodings),
    Judgement("transfer coding: ", .refusedHere, "stricter", otherCodings),
    Judgement("coding and length: ", .refusedHere, "stricter", otherCodings),
    Judgement("trailer: ", .fields, "repaired", "Trailers are no part of the head's fields."),
  ]

  private static let otherCodings = "A transfer coding other than chunked is refused."

  private static let bodies: [Judgement] = [
    Judgement(
      "content coding: gzip and then", .acceptedHere, "more tolerant",
      "What follows the end of a gzip file is decoded or left out."),
    Judgement(
      "content coding: ", .acceptedHere, "more tolerant",
      "A body in a coding that was not asked for is given as it is."),
    Judgement("content coding: ", .refusedHere, "stricter", "A compressed body without its end is an error."),
  ]
}
