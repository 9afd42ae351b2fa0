import HTTPSyntax

extension ServerLoop {
  /// Refuses what no handler should see; framing is checked apart.
  func checked(
    method: HTTPMethod, version: String, rawTarget: String, fields: HTTPFields, _ connection: ClientConnection
  ) throws(RequestRefusal) -> RequestTarget {
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw RequestRefusal(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
    }
    guard MicroHTTPD.headerSize(connection.handle) <= configuration.limits.headerSize else {
      throw RequestRefusal(.requestHeaderFieldsTooLarge, "The header fields are too large.")
    }
    // RFC 9112, 6.1: what stands between may have framed it otherwise.
    if version == "HTTP/1.0", fields["Transfer-Encoding"] != nil {
      throw .malformed("HTTP/1.0 has no transfer codings.")
    }
    for field in fields where field.fault != nil {
      throw .malformed("A header field is malformed.")
    }
    guard ASCII.isToken(method.rawValue) else { throw .malformed("The method is malformed.") }
    guard configuration.methods.contains(method) else {
      throw RequestRefusal(.notImplemented, "This method is not known here.")
    }
    if fields.values("Host").count > 1 { throw .malformed("There is more than one Host.") }
    if let expectation = fields["Expect"], !ASCII.equalIgnoringCase(expectation, "100-continue") {
      throw RequestRefusal(.expectationFailed, "The only expectation met here is 100-continue.")
    }
    return try RequestTarget(rawTarget)
  }
}
