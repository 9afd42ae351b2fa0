/// A judgement of a kind of difference: a keyword and a reason.
struct Judgement: Sendable {
  /// The prefix of the identifiers of the replies that the judgement applies to.
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

  /// All judgements. The first one that applies is used. A difference without a judgement makes the run fail.
  static let all = heads + framing + bodies

  private static let heads: [Judgement] = [
    Judgement("cut: ", .refusedHere, "stricter", "A connection that ends within the head gives no response."),
    Judgement("interim alone: ", .refusedHere, "stricter", "An interim response is not the response."),
    Judgement("interim: ", .refusedHere, "stricter", "The number of interim responses is limited."),
    Judgement(
      "interim: ", .fields, "other field list", "After 101, curl lists only the fields of the next head."),
    Judgement(
      "status line: ", .refusedHere, "stricter", "RFC 9112, 4 requires one space, and none in the version."),
    Judgement("field: X-A : b", .fields, "repaired", "The space before the colon is not part of the name."),
    Judgement("field: X-A␉: b", .fields, "repaired", "The space before the colon is not part of the name."),
    Judgement(
      "field: Content-Length : 5", .fields, "repaired", "The space before the colon is not part of the name."),
    Judgement("field: :", .fields, "repaired", "A field without a name is ignored."),
    Judgement("field: X-A: b␍␊␉c", .fields, "repaired", "A fold becomes one space (RFC 9112, 5.2)."),
    Judgement(
      "field: X-A: b␍␊X-B: c␍␊X-A: d", .fields, "other field list", "curl 7.88 omits one field from its list."
    ),
    Judgement(
      "control character: ", .refusedHere, "stricter", "A length consists of digits only (RFC 9110, 8.6)."),
    Judgement("control character: 0d", .fields, "repaired", "A single CR becomes a space (RFC 9112, 2.2)."),
    Judgement(
      "control character: ", .fields, "other field list", "curl trims more characters than space and tab."),
    Judgement("line end: ", .fields, "repaired", "A single CR becomes a space (RFC 9112, 2.2)."),
  ]

  private static let framing: [Judgement] = [
    Judgement(
      "length: ", .refusedHere, "stricter",
      "A length that is not a number in the range of Int64 is refused (RFC 9110, 8.6)."),
    Judgement("length: ", .error, "different error code", "Retriever reports the invalid length first."),
    Judgement(
      "length twice: ", .refusedHere, "stricter",
      "Two lengths with different text are refused (RFC 9112, 6.3)."),
    Judgement(
      "length twice: ", .error, "different error code", "Retriever reports the invalid lengths first."),
    Judgement(
      "no body: ", .error, "different error code", "Retriever reports the invalid lengths first."),
    Judgement(
      "no body", .refusedHere, "stricter", "Two different lengths are refused even without a body."),
    Judgement(
      "transfer coding: space before the colon", .fields, "repaired",
      "The space before the colon is not part of the name."),
    Judgement("transfer coding: ", .error, "different error code", otherCodings),
    Judgement("coding and length: ", .error, "different error code", otherCodings),
    Judgement("transfer coding: ", .refusedHere, "stricter", otherCodings),
    Judgement("coding and length: ", .refusedHere, "stricter", otherCodings),
    Judgement("trailer: ", .fields, "repaired", "Trailers are not added to the fields of the head."),
  ]

  private static let otherCodings = "Any transfer coding except a single chunked is refused."

  private static let bodies: [Judgement] = [
    Judgement(
      "content coding: gzip and then", .acceptedHere, "more tolerant",
      "Bytes after the end of a gzip file are decoded or ignored."),
    Judgement(
      "content coding: ", .acceptedHere, "more tolerant",
      "A body in an unrequested coding is delivered without decoding."),
    Judgement("content coding: ", .refusedHere, "stricter", "A truncated compressed body is an error."),
  ]

  /// Judgements of the differences between libcurl and the transport of our own.
  static let own: [Judgement] = [
    Judgement("status line: ", .refusedHere, "stricter", "The version is HTTP/1.0 or HTTP/1.1."),
    Judgement("line end: ", .refusedHere, "stricter", "A CR in an unexpected place is not ignored."),
    Judgement("cut: chunks", .refusedHere, "stricter", "The last line end is a part of the response."),
    Judgement("chunk size: ", .refusedHere, "stricter", "A size consists of hexadecimal digits only."),
    Judgement("chunk", .error, "different error code", "The error says that a chunk is invalid."),
    Judgement("large: a chunk extension", .refusedHere, "stricter", "A line has a maximum length."),
    Judgement("trailer: ", .acceptedHere, "more tolerant", "Trailers may be as long as a head."),
    Judgement("trailer: ", .error, "different error code", "The error says that the trailers are too long."),
    Judgement(
      "interim alone: ", .acceptedHere, "more tolerant", "A response with status 101 may have an empty body."),
  ]
}
