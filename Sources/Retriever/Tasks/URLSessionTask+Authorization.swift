#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// The answers to challenges, or remembered ones, that are sent with a request.
extension URLSessionTask {
  /// Adds `Authorization`.
  ///
  /// - Parameter authorizer: What answers a challenge; nil if the session's memory may answer before there is one.
  func authorize(
    _ wanted: inout TransferRequest, with authorizer: Authorizer?, url: URL
  ) throws(URLError) {
    if case .connection(let signIn) = authorizer {
      wanted.headers.removeAll { $0.name.caseInsensitiveCompare("Authorization") == .orderedSame }
      wanted.signIn = signIn
      return
    }
    if let authorizer {
      guard let answer = authorizer.answer(for: wanted.digestRequest) else {
        throw URLError(
          .userAuthenticationRequired,
          message: authorizer.needsBodyHash
            ? "The server requires Digest authentication that covers the body (auth-int), which needs a body that "
              + "can be read twice. Send the body from memory or from a file."
            : "The user name contains characters that Digest authentication cannot send.",
          url: url)
      }
      wanted.setField("Authorization", answer.fieldValue)
      wanted.hashesBody(for: answer)
      lockedState.withLock { $0.challenges.didSend(answer) }
      return
    }
    // The request's own field has precedence over what the session remembers.
    guard !wanted.hasField("Authorization"), let entry = session.credentials.entry(for: url) else { return }
    if case .connection(let signIn) = entry.authorizer {
      lockedState.withLock { $0.challenges.willSend(entry, to: url) }
      wanted.signIn = signIn
      return
    }
    guard let answer = entry.authorizer.answer(for: wanted.digestRequest) else { return }
    lockedState.withLock { state in
      state.challenges.willSend(entry, to: url)
      state.challenges.didSend(answer)
    }
    wanted.headers.append(TransferHeader("Authorization", answer.fieldValue))
    wanted.hashesBody(for: answer)
  }

  // MARK: Proxies

  /// Adds `Proxy-Authorization`, which only the proxy receives.
  func authorizeForProxy(_ wanted: inout TransferRequest, url: URL) {
    guard settings.usesProxies else { return }
    // Without an HTTP proxy, the server itself would get the field.
    let own = wanted.headers.filter(\.isProxyAuthorization)
    if !own.isEmpty { wanted.headers.removeAll(where: \.isProxyAuthorization) }
    guard let (proxy, address) = httpProxy(for: url) else { return }
    if !own.isEmpty {
      wanted.proxyHeaders = own
      return
    }
    let protected = wanted.digestRequest(forTunnel: Self.isSecure(url) || wanted.isUpgrade)
    let (answer, signIn) = lockedState.withLock { state -> (Authorizer.Answer?, ConnectionSignIn?) in
      let authorizer: Authorizer
      let answer: Authorizer.Answer?
      if let held = state.proxyAuthorizer, held.proxy.isSameProxy(as: proxy) {
        authorizer = held.authorizer
        answer = authorizer.answer(for: protected)
        state.proxyChallenges.willSendAgain()
      } else if let entry = rememberedEntry(for: proxy) ?? Self.firstEntry(for: proxy, address) {
        authorizer = entry.authorizer
        answer = authorizer.answer(for: protected)
        if answer != nil || authorizer.signIn != nil { state.proxyChallenges.willSend(entry, to: url) }
      } else {
        return (nil, nil)
      }
      if let answer { state.proxyChallenges.didSend(answer) }
      return (answer, authorizer.signIn)
    }
    wanted.proxySignIn = signIn
    guard let answer else { return }
    wanted.proxyHeaders = [TransferHeader("Proxy-Authorization", answer.fieldValue)]
    if !Self.isSecure(url), !wanted.isUpgrade { wanted.hashesBody(for: answer) }
  }

  private func rememberedEntry(for proxy: Challenger) -> CredentialCache.Entry? {
    guard case .proxy(let host, let port, let type, _) = proxy else { return nil }
    return session.credentials.entry(forProxy: host, port: port, type: type)
  }

  /// The name and password of a proxy's URL in the environment, which the proxy gets before it asks, as from curl.
  private static func firstEntry(for proxy: Challenger, _ address: ProxyAddress) -> CredentialCache.Entry? {
    guard address.sendsPasswordFirst, case .proxy(let host, let port, let type, let credential?) = proxy,
      let user = credential.user
    else { return nil }
    let space = URLProtectionSpace(
      proxyHost: host, port: port, type: type, realm: nil,
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    return CredentialCache.Entry(
      protectionSpace: space, credential: credential,
      authorizer: .basic(user: user, password: credential.password ?? ""))
  }

  /// The HTTP proxy for a URL.
  private func httpProxy(for url: URL) -> (Challenger, ProxyAddress)? {
    guard settings.usesProxies,
      let address = settings.clientOptions.proxy(for: CacheKey.sentForm(of: url)),
      address.kind == .http
    else { return nil }
    let proxy = Challenger.proxy(
      host: address.host, port: Int(address.port),
      type: Self.isSecure(url) ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy,
      credential: address.user.map {
        URLCredential(user: $0, password: address.password ?? "", persistence: .forSession)
      })
    return (proxy, address)
  }

  /// The proxy that may have answered a request itself: there was no tunnel.
  func forwardingProxy(for url: URL) -> Challenger? {
    Self.isSecure(url) ? nil : httpProxy(for: url)?.0
  }

  /// A proxy's refusal to open a tunnel because it wants a credential.
  struct TunnelChallenge {
    let response: HTTPURLResponse
    let request: URLRequest
    let proxy: Challenger
    let error: URLError
  }

  func tunnelChallenge(_ end: TransferEnd) -> TunnelChallenge? {
    guard let head = end.tunnelRefusal, head.status == 407, let failure = end.failure,
      let request = sentRequest, let url = request.url, let proxy = httpProxy(for: url)?.0
    else { return nil }
    let response = HTTPURLResponse(
      url: url, statusCode: head.status, httpVersion: head.version, headerBlock: head.block)
    return TunnelChallenge(
      response: response, request: request, proxy: proxy, error: URLError(failure, url: url))
  }

  private static func isSecure(_ url: URL) -> Bool { Origin(url)?.scheme == "https" }
}

extension TransferHeader {
  fileprivate var isProxyAuthorization: Bool {
    name.caseInsensitiveCompare("Proxy-Authorization") == .orderedSame
  }
}

extension TransferRequest {
  /// Computes the hash of the response's body, if the server's proof may cover it.
  fileprivate mutating func hashesBody(for answer: Authorizer.Answer) {
    if let algorithm = answer.proof?.algorithmOfBody { bodyHashes.insert(algorithm) }
  }

  fileprivate mutating func setField(_ name: String, _ value: String) {
    headers.removeAll { $0.name.caseInsensitiveCompare(name) == .orderedSame }
    headers.append(TransferHeader(name, value))
  }

  /// The parts of the request that a response to a Digest challenge protects.
  fileprivate var digestRequest: DigestSession.Request {
    let body = body
    return DigestSession.Request(method: method, target: target ?? "/") { body.hash($0) }
  }

  /// The same for a proxy.
  fileprivate func digestRequest(forTunnel usesTunnel: Bool) -> DigestSession.Request {
    if usesTunnel {
      return DigestSession.Request(method: "CONNECT", target: tunnelTarget ?? "") { Digests.hash($0, []) }
    }
    let body = body
    return DigestSession.Request(method: method, target: absoluteTarget ?? url) { body.hash($0) }
  }
}

extension TransferBody {
  /// The hash of the body; nil if it can be read only once.
  fileprivate func hash(_ algorithm: HashAlgorithm) -> [UInt8]? {
    switch self {
    case .none: return Digests.hash(algorithm, [])
    case .bytes(let bytes): return Digests.hash(algorithm, bytes)
    case .source(let source):
      guard source is DataBodySource || source is FileBodySource, source.rewind(),
        var digest = Digest(algorithm)
      else { return nil }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
      defer { buffer.deallocate() }
      while true {
        switch source.read(into: buffer) {
        case .bytes(let count): digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .end: return source.rewind() ? digest.finish() : nil
        case .wait, .failed: return nil
        }
      }
    }
  }
}
#endif
