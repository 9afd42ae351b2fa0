import Glibc

// OpenSSL's functions for a client's connection over a socket that is already open.
extension OpenSSL {
  struct ClientFunctions: Sendable {
    let method: @convention(c) () -> Pointer?
    let makeContext: @convention(c) (Pointer?) -> Pointer?
    let freeContext: @convention(c) (Pointer?) -> Void
    let controlContext: @convention(c) (Pointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let setVerify: @convention(c) (Pointer?, Int32, VerifyCallback?) -> Void
    let useSystemPaths: @convention(c) (Pointer?) -> Int32
    let make: @convention(c) (Pointer?) -> Pointer?
    let free: @convention(c) (Pointer?) -> Void
    let control: @convention(c) (Pointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let setSocket: @convention(c) (Pointer?, Int32) -> Int32
    let setHost: @convention(c) (Pointer?, UnsafePointer<CChar>?) -> Int32
    let parameters: @convention(c) (Pointer?) -> Pointer?
    let setAddress: @convention(c) (Pointer?, UnsafePointer<CChar>?) -> Int32
    let setHostFlags: @convention(c) (Pointer?, UInt32) -> Void
    let connect: @convention(c) (Pointer?) -> Int32
    let read: @convention(c) (Pointer?, UnsafeMutableRawPointer?, Int32) -> Int32
    let write: @convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32
    let shutdown: @convention(c) (Pointer?) -> Int32
    let error: @convention(c) (Pointer?, Int32) -> Int32
    let verifyResult: @convention(c) (Pointer?) -> Int
    let nextError: @convention(c) () -> UInt
    let errorText: @convention(c) (UInt, UnsafeMutablePointer<CChar>?, Int) -> Void
    let verifyText: @convention(c) (Int) -> UnsafePointer<CChar>?
    let clearErrors: @convention(c) () -> Void
  }

  /// Nil if libcurl uses another TLS library.
  static let client: ClientFunctions? = {
    typealias Make = @convention(c) (Pointer?) -> Pointer?
    typealias Release = @convention(c) (Pointer?) -> Void
    typealias Control = @convention(c) (Pointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    typealias Step = @convention(c) (Pointer?) -> Int32
    typealias SetText = @convention(c) (Pointer?, UnsafePointer<CChar>?) -> Int32
    guard let method = find("TLS_client_method", as: (@convention(c) () -> Pointer?).self),
      let makeContext = find("SSL_CTX_new", as: Make.self),
      let freeContext = find("SSL_CTX_free", as: Release.self),
      let controlContext = find("SSL_CTX_ctrl", as: Control.self),
      let setVerify = find(
        "SSL_CTX_set_verify", as: (@convention(c) (Pointer?, Int32, VerifyCallback?) -> Void).self),
      let useSystemPaths = find("SSL_CTX_set_default_verify_paths", as: Step.self),
      let make = find("SSL_new", as: Make.self),
      let free = find("SSL_free", as: Release.self),
      let control = find("SSL_ctrl", as: Control.self),
      let setSocket = find("SSL_set_fd", as: (@convention(c) (Pointer?, Int32) -> Int32).self),
      let setHost = find("SSL_set1_host", as: SetText.self),
      let parameters = find("SSL_get0_param", as: Make.self),
      let setAddress = find("X509_VERIFY_PARAM_set1_ip_asc", as: SetText.self),
      let setHostFlags = find(
        "X509_VERIFY_PARAM_set_hostflags", as: (@convention(c) (Pointer?, UInt32) -> Void).self),
      let connect = find("SSL_connect", as: Step.self),
      let read = find(
        "SSL_read", as: (@convention(c) (Pointer?, UnsafeMutableRawPointer?, Int32) -> Int32).self),
      let write = find(
        "SSL_write", as: (@convention(c) (Pointer?, UnsafeRawPointer?, Int32) -> Int32).self),
      let shutdown = find("SSL_shutdown", as: Step.self),
      let error = find("SSL_get_error", as: (@convention(c) (Pointer?, Int32) -> Int32).self),
      let verifyResult = find("SSL_get_verify_result", as: (@convention(c) (Pointer?) -> Int).self),
      let nextError = find("ERR_get_error", as: (@convention(c) () -> UInt).self),
      let errorText = find(
        "ERR_error_string_n",
        as: (@convention(c) (UInt, UnsafeMutablePointer<CChar>?, Int) -> Void).self),
      let verifyText = find(
        "X509_verify_cert_error_string", as: (@convention(c) (Int) -> UnsafePointer<CChar>?).self),
      let clearErrors = find("ERR_clear_error", as: (@convention(c) () -> Void).self)
    else { return nil }
    return ClientFunctions(
      method: method, makeContext: makeContext, freeContext: freeContext, controlContext: controlContext,
      setVerify: setVerify, useSystemPaths: useSystemPaths, make: make, free: free, control: control,
      setSocket: setSocket, setHost: setHost, parameters: parameters, setAddress: setAddress,
      setHostFlags: setHostFlags,
      connect: connect, read: read, write: write, shutdown: shutdown, error: error,
      verifyResult: verifyResult, nextError: nextError, errorText: errorText, verifyText: verifyText,
      clearErrors: clearErrors)
  }()
}
