extension ConformanceSuite {
  static let values: [ConformanceCase] = [
    plain(
      .values, "values-request-fields", "A request's field names ignore case, and added values are joined.",
      .requestFields, "a", "a,b", "b"),
    plain(
      .values, "values-request-bodies", "A body stream replaces a body, and the reverse.", .requestBodies,
      "data", "stream", "data"),
    plain(
      .values, "values-response", "A response has type, encoding, length and file name.", .responseProperties,
      "text/html", "utf-8", "5", "dog.html", "a"),
    plain(
      .values, "values-archives", "Values can be archived.", .archives, "response 404 a", "credential Ada",
      "space localhost 8080 kennel", "request POST http://localhost/dog"),
    plain(
      .values, "values-cookies", "Several cookies in one field are separate.", .cookieFields,
      "a=b", "c=d", "a=b; c=d"),
    plain(
      .values, "values-default-credential", "A removed default credential is gone.", .defaultCredential,
      "Ada",
      "none"),
    plain(
      .values, "values-equality", "Equal requests are equal, and others differ.", .equality, "equal",
      "different"),
    plain(.values, "values-status-text", "A status has a text.", .statusText, "not found", "no error"),
  ]
}
