import CCurl

// Sign-ins of connections.
extension EasyHandle {
  /// Sets what libcurl signs in with, to the server and to the proxy.
  func apply(
    _ signIn: ConnectionSignIn?, _ proxySignIn: ConnectionSignIn?, usesTunnel: Bool
  ) throws(CurlError) {
    if let signIn {
      try Curl.set(easy, CURLOPT_HTTPAUTH, signIn.scheme.curlBits)
      try Curl.set(easy, CURLOPT_USERNAME, signIn.user)
      try Curl.set(easy, CURLOPT_PASSWORD, signIn.password)
      if signIn.scheme == .negotiate { try keepConnectionApart() }
    }
    if let proxySignIn {
      try Curl.set(easy, CURLOPT_PROXYAUTH, proxySignIn.scheme.curlBits)
      try Curl.set(easy, CURLOPT_PROXYUSERNAME, proxySignIn.user)
      try Curl.set(easy, CURLOPT_PROXYPASSWORD, proxySignIn.password)
      // Behind a tunnel is the server, which does not know the proxy's user.
      if proxySignIn.scheme == .negotiate, !usesTunnel { try keepConnectionApart() }
    }
  }

  /// Makes a transfer with Negotiate the only one of its connection. libcurl keeps connections with NTLM apart by user.
  /// With Negotiate, it would use a connection that is signed in for requests of others, too. It ignores both options
  /// during the sign-in.
  private func keepConnectionApart() throws(CurlError) {
    try Curl.set(easy, CURLOPT_FRESH_CONNECT, 1)
    try Curl.set(easy, CURLOPT_FORBID_REUSE, 1)
  }
}
