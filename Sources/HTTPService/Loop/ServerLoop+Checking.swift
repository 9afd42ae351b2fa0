import HTTPSyntax

extension ServerLoop {
  /// Refuses what no handler should see; framing is checked apart.
  func checked(
    method: HTTPMethod, version: String, rawTarget: String, fields: HTTPFields, _ connection: ClientConnection
  ) throws(HTTPRefusal) -> RequestTarget {
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw HTTPRefusal(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
    }
    guard MicroHTTPD.headerSize(connection.handle) <= configuration.limits.headerSize else {
      throw rawTarget.utf8.count > configuration.limits.headerSize / 2
        ? HTTPRefusal(.uriTooLong, "The request target is too long.")
        : HTTPRefusal(.requestHeaderFieldsTooLarge, "The header fields are too large.")
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
      throw HTTPRefusal(.notImplemented, "This method is not known here.")
    }
    let hosts = fields.values("Host")
    switch hosts.count {
    case 0 where version == "HTTP/1.1": throw .malformed("There is no Host.")
    case 0: break
    // RFC 9110, 4.2.1: an http or https URI without a host is to be rejected, and this is what it would be of.
    case 1: if hosts[0].isEmpty { throw .malformed("The Host is empty.") }
    default: throw .malformed("There is more than one Host.")
    }
    if let expectation = fields["Expect"], !ASCII.equalIgnoringCase(expectation, "100-continue") {
      throw HTTPRefusal(.expectationFailed, "The only expectation met here is 100-continue.")
    }
    return try RequestTarget(rawTarget)
  }
}
