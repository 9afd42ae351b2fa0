#if !canImport(Darwin)
  // The names and the values are Apple's: programs compare with them, print them and store them.

  /// The unencrypted protocol of the web.
  public let NSURLProtectionSpaceHTTP = "http"

  /// HTTP over TLS.
  public let NSURLProtectionSpaceHTTPS = "https"

  /// The file transfer protocol.
  public let NSURLProtectionSpaceFTP = "ftp"

  /// A proxy for HTTP.
  public let NSURLProtectionSpaceHTTPProxy = "http"

  /// A proxy for HTTPS.
  public let NSURLProtectionSpaceHTTPSProxy = "https"

  /// A proxy for FTP.
  public let NSURLProtectionSpaceFTPProxy = "ftp"

  /// A SOCKS proxy.
  public let NSURLProtectionSpaceSOCKSProxy = "SOCKS"

  /// The protocol's own default way of authenticating.
  public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"

  /// HTTP Basic: the password travels in clear text within the connection.
  public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"

  /// HTTP Digest: proof that the password is known, without sending it.
  public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"

  /// A form on a web page.
  public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"

  /// NTLM.
  public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"

  /// Negotiate: Kerberos, or NTLM where Kerberos is not to be had.
  public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"

  /// A client certificate, asked for by the server during the TLS handshake.
  public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

  /// The decision whether the server's certificate is to be trusted.
  public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
#endif
