import Foundation

extension Stage {
  private var address: URL { URL(string: "http://localhost/dog") ?? URL(fileURLWithPath: "/") }

  func requestFields() -> [String] {
    var request = URLRequest(url: address)
    request.setValue("a", forHTTPHeaderField: "X-Dog")
    var lines = [request.value(forHTTPHeaderField: "x-dOG") ?? "none"]
    request.addValue("b", forHTTPHeaderField: "x-dog")
    lines.append(request.value(forHTTPHeaderField: "X-Dog") ?? "none")
    request.setValue("b", forHTTPHeaderField: "X-DOG")
    lines.append(request.value(forHTTPHeaderField: "x-dog") ?? "none")
    return lines
  }

  func requestBodies() -> [String] {
    var request = URLRequest(url: address)
    func kind() -> String {
      switch (request.httpBody, request.httpBodyStream) {
      case (_?, nil): "data"
      case (nil, _?): "stream"
      case (nil, nil): "none"
      case (_?, _?): "both"
      }
    }
    request.httpBody = Data("a".utf8)
    var lines = [kind()]
    request.httpBodyStream = InputStream(data: Data("b".utf8))
    lines.append(kind())
    request.httpBody = Data("c".utf8)
    lines.append(kind())
    return lines
  }

  private var response: HTTPURLResponse? {
    HTTPURLResponse(
      url: address, statusCode: 404, httpVersion: "HTTP/1.1",
      headerFields: [
        "Content-Type": "text/html; charset=UTF-8", "Content-Length": "5",
        "Content-Disposition": "attachment; filename=\"dog.html\"", "X-Dog": "a",
      ])
  }

  func responseProperties() throws -> [String] {
    guard let response else { return [] }
    return [
      response.mimeType ?? "none", response.textEncodingName ?? "none", "\(response.expectedContentLength)",
      response.suggestedFilename ?? "none", response.value(forHTTPHeaderField: "x-dog") ?? "none",
    ]
  }

  private func restored<Value>(_ value: Value) throws -> Value? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
    let reader = try NSKeyedUnarchiver(forReadingFrom: data)
    reader.requiresSecureCoding = false
    return reader.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? Value
  }

  func archives() throws -> [String] {
    var lines: [String] = []
    if let response = try response.flatMap(restored) {
      lines.append("response \(response.statusCode) \(response.value(forHTTPHeaderField: "X-Dog") ?? "none")")
    }
    if let credential = try restored(URLCredential(user: "Ada", password: "secret", persistence: .forSession))
    {
      lines.append("credential \(credential.user ?? "none")")
    }
    let space = URLProtectionSpace(
      host: "localhost", port: 8080, protocol: "http", realm: "kennel",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    if let space = try restored(space) {
      lines.append("space \(space.host) \(space.port) \(space.realm ?? "none")")
    }
    let request = NSMutableURLRequest(url: address)
    request.httpMethod = "POST"
    if let request = try restored(request as NSURLRequest) {
      lines.append("request \(request.httpMethod ?? "none") \(request.url?.absoluteString ?? "none")")
    }
    return lines
  }

  func cookieFields() -> [String] {
    let field = "a=b; Expires=Fri, 31 Dec 2100 23:59:59 GMT, c=d; Path=/"
    let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: address)
    return cookies.map { "\($0.name)=\($0.value)" }
      + [HTTPCookie.requestHeaderFields(with: cookies)["Cookie"] ?? "none"]
  }

  func defaultCredential() -> [String] {
    let space = URLProtectionSpace(
      host: "credential.test", port: 80, protocol: "http", realm: "kennel",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    let storage = URLCredentialStorage.shared
    let (ada, bob) = (
      URLCredential(user: "Ada", password: "a", persistence: .forSession),
      URLCredential(user: "Bob", password: "b", persistence: .forSession)
    )
    storage.set(bob, for: space)
    storage.setDefaultCredential(ada, for: space)
    defer { storage.remove(bob, for: space) }
    let before = storage.defaultCredential(for: space)?.user
    storage.remove(ada, for: space)
    return [before ?? "none", storage.defaultCredential(for: space)?.user ?? "none"]
  }

  func equality() -> [String] {
    var (one, other) = (URLRequest(url: address), URLRequest(url: address))
    one.setValue("a", forHTTPHeaderField: "X-Dog")
    other.setValue("a", forHTTPHeaderField: "X-Dog")
    var lines = [one == other && one.hashValue == other.hashValue ? "equal" : "different"]
    other.httpMethod = "PUT"
    lines.append(one == other ? "equal" : "different")
    return lines
  }

  func statusText() -> [String] {
    [
      HTTPURLResponse.localizedString(forStatusCode: 404),
      HTTPURLResponse.localizedString(forStatusCode: 200),
    ]
  }
}
