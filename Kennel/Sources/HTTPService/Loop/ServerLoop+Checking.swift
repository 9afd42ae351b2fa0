import HTTPSyntax

extension ServerLoop {
  /// Refuses requests that must not reach the handler. ``RequestFraming`` checks the framing.
  func checked(
    method: HTTPMethod, version: String, rawTarget: String, fields: HTTPFields, _ connection: ClientConnection
  ) throws(HTTPRefusal) -> RequestTarget {
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw HTTPRefusal(505, "This server supports only HTTP/1.1 and HTTP/1.0.")
    }
    guard MicroHTTPD.headerSize(connection.handle) <= configuration.limits.maximumHeaderSize else {
      throw rawTarget.utf8.count > configuration.limits.maximumHeaderSize / 2
        ? HTTPRefusal(.uriTooLong, "The request target is too long.")
        : HTTPRefusal(.requestHeaderFieldsTooLarge, "The header fields are too large.")
    }
    // RFC 9112, 6.1: a proxy may have framed the message in another way.
    if version == "HTTP/1.0", fields["Transfer-Encoding"] != nil {
      throw .malformed("HTTP/1.0 does not support Transfer-Encoding.")
    }
    for field in fields where field.validationError != nil {
      throw .malformed("A header field is malformed.")
    }
    guard ASCII.isToken(method.rawValue) else { throw .malformed("The method is malformed.") }
    guard configuration.methods.contains(method) else {
      throw HTTPRefusal(.notImplemented, "This server does not support the method.")
    }
    let hosts = fields.values("Host")
    switch hosts.count {
    case 0 where version == "HTTP/1.1": throw .malformed("The Host is missing.")
    case 0: break
    // RFC 9110, 4.2.1: an http or https URI with an empty host must be rejected. An empty Host means such a URI.
    case 1: if hosts[0].isEmpty { throw .malformed("The Host is empty.") }
    default: throw .malformed("There is more than one Host.")
    }
    if let expectation = fields["Expect"], !ASCII.equalIgnoringCase(expectation, "100-continue") {
      throw HTTPRefusal(.expectationFailed, "The only supported expectation is 100-continue.")
    }
    return try RequestTarget(rawTarget)
  }
}
