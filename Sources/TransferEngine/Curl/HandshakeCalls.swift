// Every call into OpenSSL that takes part in a handshake.

extension OpenSSL {
  typealias ChainCallback = @convention(c) (Pointer?, Pointer?) -> Int32
  private typealias Release =
    @convention(c) (Pointer?, Pointer?, Pointer?, Int32, Int, Pointer?) -> Void

  struct HandshakeFunctions: Sendable {
    let setChainCallback: @convention(c) (Pointer?, ChainCallback?, Pointer?) -> Void
    let setKeyCallback: @convention(c) (Pointer?, ChainCallback?, Pointer?) -> Void
    let requestedAuthorities: @convention(c) (Pointer?) -> Pointer?
    let useKey: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?, Int32) -> Int32
    fileprivate let isResumed: @convention(c) (Pointer?) -> Int32
    fileprivate let context: @convention(c) (Pointer?) -> Pointer?
    fileprivate let data: @convention(c) (Pointer?, Int32) -> Pointer?
    fileprivate let setData: @convention(c) (Pointer?, Int32, Pointer?) -> Int32
    fileprivate let dataIndex: Int32
  }

  static let handshake: HandshakeFunctions? = {
    guard
      let setChainCallback = find(
        "SSL_CTX_set_cert_verify_callback",
        as: (@convention(c) (Pointer?, ChainCallback?, Pointer?) -> Void).self),
      let setKeyCallback = find(
        "SSL_CTX_set_cert_cb", as: (@convention(c) (Pointer?, ChainCallback?, Pointer?) -> Void).self),
      let requestedAuthorities = find(
        "SSL_get_client_CA_list", as: (@convention(c) (Pointer?) -> Pointer?).self),
      let useKey = find(
        "SSL_use_cert_and_key",
        as: (@convention(c) (Pointer?, Pointer?, Pointer?, Pointer?, Int32) -> Int32).self),
      let isResumed = find("SSL_session_reused", as: (@convention(c) (Pointer?) -> Int32).self),
      let context = find("SSL_get_SSL_CTX", as: (@convention(c) (Pointer?) -> Pointer?).self),
      let data = find("SSL_CTX_get_ex_data", as: (@convention(c) (Pointer?, Int32) -> Pointer?).self),
      let setData = find(
        "SSL_CTX_set_ex_data", as: (@convention(c) (Pointer?, Int32, Pointer?) -> Int32).self),
      let makeIndex = find(
        "CRYPTO_get_ex_new_index",
        as: (@convention(c) (Int32, Int, Pointer?, Pointer?, Pointer?, Release?) -> Int32).self)
    else { return nil }
    // CRYPTO_EX_INDEX_SSL_CTX. OpenSSL releases the check with its context.
    let index = makeIndex(1, 0, nil, nil, nil) { _, check, _, _, _, _ in
      if let check { Unmanaged<HandshakeCheck>.fromOpaque(check).release() }
    }
    guard index >= 0 else { return nil }
    return HandshakeFunctions(
      setChainCallback: setChainCallback, setKeyCallback: setKeyCallback,
      requestedAuthorities: requestedAuthorities, useKey: useKey, isResumed: isResumed,
      context: context, data: data, setData: setData, dataIndex: index)
  }()

  /// Makes a context (`SSL_CTX *`) keep a check, which gets the server's alerts. Returns false if there is no memory.
  static func keep(_ check: HandshakeCheck, in context: Pointer) -> Bool {
    guard let handshake else { return false }
    let kept = Unmanaged.passRetained(check)
    guard handshake.setData(context, handshake.dataIndex, kept.toOpaque()) == 1 else {
      kept.release()
      return false
    }
    return true
  }

  /// Whether a delegate may have accepted the server of a connection (`SSL *`) although its certificates were not valid.
  /// The handshake that resumes a session has no certificates, so nothing is known about such a connection.
  static func mayBeException(_ connection: Pointer) -> Bool {
    guard let handshake, handshake.isResumed(connection) == 0,
      let check = handshake.data(handshake.context(connection), handshake.dataIndex)
    else { return true }
    return Unmanaged<HandshakeCheck>.fromOpaque(check)._withUnsafeGuaranteedRef { $0.isException }
  }

  /// Passes an alert of the server to the check of its connection (`SSL *`).
  static func noteAlert(_ alert: UInt8, on connection: Pointer?) {
    guard let connection, let handshake,
      let check = handshake.data(handshake.context(connection), handshake.dataIndex)
    else { return }
    Unmanaged<HandshakeCheck>.fromOpaque(check)._withUnsafeGuaranteedRef { $0.serverSent(alert: alert) }
  }

  /// Makes a context keep a check, and call it during the handshake. Returns false if there is no memory.
  static func install(_ check: HandshakeCheck, in context: Pointer, presentsKey: Bool) -> Bool {
    guard let handshake, keep(check, in: context) else { return false }
    let kept = Unmanaged.passUnretained(check)
    let chainCallback: ChainCallback = { verification, check in
      guard let verification, let check else { return 0 }
      return Unmanaged<HandshakeCheck>.fromOpaque(check)._withUnsafeGuaranteedRef {
        $0.accepts(verification) ? 1 : 0
      }
    }
    handshake.setChainCallback(context, chainCallback, kept.toOpaque())
    guard presentsKey else { return true }
    let keyCallback: ChainCallback = { connection, check in
      guard let connection, let check else { return 0 }
      return Unmanaged<HandshakeCheck>.fromOpaque(check)._withUnsafeGuaranteedRef {
        $0.presentsKey(on: connection) ? 1 : 0
      }
    }
    handshake.setKeyCallback(context, keyCallback, kept.toOpaque())
    return true
  }
}
