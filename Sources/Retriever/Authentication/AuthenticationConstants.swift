#if !canImport(Darwin)
// The names and the values are Apple's, because programs compare, print and store them.

/// Unencrypted HTTP.
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

/// The protocol's default authentication method.
public let NSURLAuthenticationMethodDefault = "NSURLAuthenticationMethodDefault"

/// HTTP Basic: the password is sent in clear text within the connection.
public let NSURLAuthenticationMethodHTTPBasic = "NSURLAuthenticationMethodHTTPBasic"

/// HTTP Digest: proves knowledge of the password without sending it.
public let NSURLAuthenticationMethodHTTPDigest = "NSURLAuthenticationMethodHTTPDigest"

/// A form on a web page.
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"

/// NTLM.
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"

/// Negotiate: Kerberos, or NTLM if Kerberos is not available.
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"

/// A client certificate, which the server requests during the TLS handshake.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// The decision whether to trust the server's certificate.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
#endif
